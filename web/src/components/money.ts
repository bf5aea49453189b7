const cents = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const fine = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 10,
  minimumSignificantDigits: 1,
  maximumSignificantDigits: 2,
});

/** "$12.40"; below a cent "$0.0034": what a model costs is seldom more. */
export function money(usd: number): string {
  return usd !== 0 && Math.abs(usd) < 0.01 ? fine.format(usd) : cents.format(usd);
}
