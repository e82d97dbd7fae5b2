/** Places of the seeded workspace, as the page's address names them. */
export const engineering = '#/U04ADALOVEL/C04ENGINEER';
export const engineeringAsGrace = '#/U04GRACEHOP/C04ENGINEER';
export const engineeringId = 'C04ENGINEER';
