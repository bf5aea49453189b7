/** More rows than these, or a longer table, are only shown: a browser is no place to edit them. */
export const MOST_EDITED = 500;
export const LONGEST_EDITED = 4_000_000;
