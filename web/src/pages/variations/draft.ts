import { DOSES, type Dose, type Variation, type VariationBody } from "~/api/variations";

export interface Draft {
  name: string;
  description: string;
  doses: Record<Dose, string[]>;
}

export const BLANK: Draft = {
  name: "",
  description: "",
  doses: { mild: [""], medium: [""], strong: [""] },
};

export function draftOf({ name, description, doses }: Variation): Draft {
  return { name, description, doses };
}

/** The same texts, to be changed under another name. */
export function copyOf(variation: Variation): Draft {
  return { ...draftOf(variation), name: `my_${variation.name}`.slice(0, 64) };
}

/** What is sent: a blank field among others is none. */
export function bodyOf({ name, description, doses }: Draft): VariationBody {
  const written = DOSES.map((dose) => [dose, doses[dose].filter((text) => text.trim() !== "")]);
  return { name, description, doses: Object.fromEntries(written) };
}
