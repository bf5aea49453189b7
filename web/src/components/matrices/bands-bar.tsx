import type { Bands } from "~/api/matrices";
import { counted } from "~/components/counted";
import classes from "~/components/matrices/bands-bar.module.css";

const BANDS = ["green", "amber", "red", "insufficient"] as const;

/** How many cells are of each band, as one small bar. */
export function BandsBar({ bands, tall = false }: { bands: Bands; tall?: boolean }) {
  const total = BANDS.reduce((sum, band) => sum + bands[band], 0);
  const filled = BANDS.filter((band) => bands[band] > 0);
  const words = filled.map((band) => `${bands[band]} ${band}`).join(", ") || "none";
  return (
    <span
      className={classes.bands}
      data-tall={tall || undefined}
      role="img"
      aria-label={`Of ${counted(total, "cell")}: ${words}`}
      title={words}
    >
      {filled.map((band) => (
        <span key={band} data-band={band} style={{ flexGrow: bands[band] }} />
      ))}
    </span>
  );
}
