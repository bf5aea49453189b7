/** The answer to a call came from one of these, and nowhere else. */
export const SOURCES = ["odyssey", "injected", "passthrough", "error", "transport_error"] as const;
export type Source = (typeof SOURCES)[number];

export const BANDS = ["green", "amber", "red"] as const;
export type Band = (typeof BANDS)[number];
