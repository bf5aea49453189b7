import type { CSSProperties, ReactNode } from "react";
import { type Tone, toneColor } from "~/components/badges";
import classes from "~/components/banner.module.css";

interface BannerProps {
  tone: Tone;
  icon: ReactNode;
  label: string;
  children: ReactNode;
}

/** Something that needs attention, in the colour of its kind. */
export function Banner({ tone, icon, label, children }: BannerProps) {
  const colors = { "--banner": toneColor(tone), "--banner-soft": toneColor(tone, true) } as CSSProperties;
  return (
    <section className={classes.banner} style={colors} aria-label={label}>
      {icon}
      <div>{children}</div>
    </section>
  );
}
