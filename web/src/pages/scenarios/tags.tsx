import { Link } from "@tanstack/react-router";
import classes from "~/pages/scenarios/scenarios.module.css";

/** Each leads to the scenarios that have it. */
export function Tags({ tags, active }: { tags: string[]; active?: string | undefined }) {
  return (
    <span className={classes.tags}>
      {tags.map((tag) => (
        <Link
          key={tag}
          to="/scenarios"
          search={{ tag }}
          className={classes.tag}
          data-active={tag === active || undefined}
        >
          {tag}
        </Link>
      ))}
    </span>
  );
}
