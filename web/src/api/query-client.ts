import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";

/** Reads again what is out of date, also what is on its way for the first time: that was asked before the change. */
export class FreshQueryClient extends QueryClient {
  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    // The library gives up a fetch under way only where there is data already.
    for (const query of this.getQueryCache().findAll(filters ?? {})) {
      if (query.isActive() && query.state.data === undefined) void query.cancel({ silent: true });
    }
    return super.invalidateQueries(filters, options);
  }
}
