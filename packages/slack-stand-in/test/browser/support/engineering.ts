/** Places of the seeded workspace in the page's address. */
export const engineering = '#/U04ADALOVEL/C04ENGINEER';
export const engineeringAsGrace = '#/U04GRACEHOP/C04ENGINEER';
export const engineeringId = 'C04ENGINEER';
