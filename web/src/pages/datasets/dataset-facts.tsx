import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { batchesQuery } from "~/api/batches";
import { type Dataset, ungradableQuery } from "~/api/datasets";
import { Banner } from "~/components/banner";
import { Fact, Facts } from "~/components/facts";
import { Ago } from "~/components/time";
import classes from "~/pages/datasets/datasets.module.css";
import { LastBatch } from "~/pages/datasets/last-batch";
import { UngradableBanner } from "~/pages/datasets/ungradable-banner";

export function DatasetFacts({ dataset }: { dataset: Dataset }) {
  const { data: batches } = useQuery(batchesQuery({ dataset_id: dataset.id }, 1));
  const { data: ungradable } = useQuery(ungradableQuery(dataset.id, dataset.revision));
  return (
    <>
      <Facts label="About this dataset">
        <Fact label="Rows">{dataset.row_count.toLocaleString("en")}</Fact>
        <Fact label="Revision">{dataset.revision}</Fact>
        <Fact label="Columns">
          <span className={classes.columns}>{dataset.columns.join(", ")}</span>
        </Fact>
        <Fact label="Last batch">{batches ? <LastBatch batch={batches.items[0]} /> : "…"}</Fact>
        <Fact label="Updated">
          <Ago at={dataset.updated_at} />
        </Fact>
      </Facts>
      {dataset.warnings.length > 0 && (
        <Banner
          tone="amber"
          icon={<IconAlertTriangle size={16} aria-hidden />}
          label="Warnings of the upload"
        >
          {dataset.warnings.map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Banner>
      )}
      <UngradableBanner found={ungradable} />
    </>
  );
}
