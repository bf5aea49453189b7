import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { openReviewsQuery } from "~/api/reviews";
import classes from "~/shell/shell.module.css";

/** How many items wait for a verdict, beside the place where they do. */
export function OpenReviews() {
  const { data: open = 0 } = useQuery(openReviewsQuery);
  if (open === 0) return null;
  return (
    <span className={classes.waiting}>
      {open > 999 ? "999+" : open}
      <VisuallyHidden> open</VisuallyHidden>
    </span>
  );
}
