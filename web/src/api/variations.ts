/** Variations, the pressures that scenarios are run under: what pages ask the server for about them. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Variation = Schemas["VariationOut"];
export type VariationBody = Schemas["VariationIn"];

export const DOSES = ["mild", "medium", "strong"] as const;
export type Dose = (typeof DOSES)[number];

/** Where a wording that has it takes ten times the input of irrelevant records. */
export const RECORDS = "{records}";

/** Every variation, one's own first: an organisation has tens. */
export const variationsQuery = queryOptions({
  queryKey: ["variations"],
  queryFn: async ({ signal }) => {
    const variations: Variation[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 100 } : { limit: 100, cursor };
      const page: Schemas["VariationsPage"] = await data(
        api.GET("/api/v1/eval/variations", { params: { query }, signal }),
      );
      variations.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return variations;
  },
});

export function createVariation(body: VariationBody): Promise<Variation> {
  return data(api.POST("/api/v1/eval/variations", { body }));
}

export function changeVariation(variationId: string, body: VariationBody): Promise<Variation> {
  const params = { path: { variation_id: variationId } };
  return data(api.PUT("/api/v1/eval/variations/{variation_id}", { params, body }));
}

export async function deleteVariation(variationId: string): Promise<void> {
  await api.DELETE("/api/v1/eval/variations/{variation_id}", {
    params: { path: { variation_id: variationId } },
  });
}
