/** Addresses of channels in the seeded workspace. */
export const engineering = '#/U04ADALOVEL/C04ENGINEER';
export const engineeringAsGrace = '#/U04GRACEHOP/C04ENGINEER';
export const engineeringId = 'C04ENGINEER';
