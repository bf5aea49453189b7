import classes from "~/shell/shell.module.css";

export function Wordmark() {
  return (
    <span className={classes.wordmark}>
      <img src="/favicon.svg" alt="" width={22} height={22} />
      Odyssey
    </span>
  );
}
