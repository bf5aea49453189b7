import { createContext } from "react";

/**
 * Whether the faults that editors below are given were found in the texts that stand in them. Those of an earlier
 * text are told in words until the next answer comes, but have no place to be marked at.
 */
export const CurrentFaults = createContext(true);
