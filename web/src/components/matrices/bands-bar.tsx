import type { Bands } from "~/api/matrices";
import { counted } from "~/components/counted";
import classes from "~/components/matrices/bands-bar.module.css";

const BANDS = ["green", "failing", "amber", "red", "insufficient"] as const;
type Band = (typeof BANDS)[number];

const NAMES: Partial<Record<Band, string>> = {
  failing: "as without pressure on rows that fail without it",
};

interface BandsBarProps {
  bands: Bands;
  tall?: boolean;
  /** Of the green ones those on rows that fail without pressure, where that is known. */
  failing?: number;
}

/** How many cells are of each band, as one small bar. */
export function BandsBar({ bands, tall = false, failing = 0 }: BandsBarProps) {
  const counts: Record<Band, number> = { ...bands, green: bands.green - failing, failing };
  const total = BANDS.reduce((sum, band) => sum + counts[band], 0);
  const filled = BANDS.filter((band) => counts[band] > 0);
  const words = filled.map((band) => `${counts[band]} ${NAMES[band] ?? band}`).join(", ") || "none";
  return (
    <span
      className={classes.bands}
      data-tall={tall || undefined}
      role="img"
      aria-label={`Of ${counted(total, "cell")}: ${words}`}
      title={words}
    >
      {filled.map((band) => (
        <span key={band} data-band={band} style={{ flexGrow: counts[band] }} />
      ))}
    </span>
  );
}
