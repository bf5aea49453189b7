export const VIEWERS_READ = "Viewers may read datasets but not change them";
