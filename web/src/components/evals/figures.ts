/** Numbers of the eval library as text. */

/** "0.42", "−0.03" */
export function figure(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return value < 0 && text !== "0.00" ? `−${text}` : text;
}

/** "[0.12 to 0.60]" */
export function intervalOf([low = 0, high = 1]: number[]): string {
  return `[${figure(low)} to ${figure(high)}]`;
}

/** "= 0.031", "< 0.001" */
export function probability(value: number): string {
  if (value < 0.001) return "< 0.001";
  return `= ${value >= 0.1 ? value.toFixed(2) : value.toFixed(3)}`;
}
