export const VIEWERS_READ = "Viewers may read worlds but not change them";
