import { Text } from "@mantine/core";
import type { Endpoint, EndpointAuth } from "~/api/endpoints";
import { ToneBadge } from "~/components/badges";
import { Copy } from "~/components/copy";
import { size } from "~/components/counted";
import { TYPES } from "~/components/endpoint-type";
import { Fact, Facts } from "~/components/facts";
import { Ago } from "~/components/time";
import classes from "~/pages/endpoints/endpoints.module.css";

/** How an endpoint is reached, before looking at its tools. */
export function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const { config } = endpoint;
  const address = endpoint.base_url ?? config.url ?? config.base_url;
  return (
    <Facts label="About this endpoint">
      <Fact label="Type">{TYPES[endpoint.type].name}</Fact>
      <Fact label="Address">
        {address === null ? (
          "not known yet"
        ) : (
          <>
            <span className={classes.mono}>{address}</span>
            <Copy value={address} what="the address" />
          </>
        )}
      </Fact>
      {endpoint.type === "http_openapi" && (
        <Fact label="Document">
          {config.spec_url === null ? "pasted" : <span className={classes.mono}>{config.spec_url}</span>}
          {config.spec_bytes !== null && (
            <Text span size="sm" c="var(--ody-text-dim)">
              {size(config.spec_bytes)}
            </Text>
          )}
        </Fact>
      )}
      <Fact label="Auth">
        <Auth auth={config.auth} />
      </Fact>
      <Fact label="Discovered">
        {endpoint.discovered_at === null ? "never" : <Ago at={endpoint.discovered_at} />}
      </Fact>
    </Facts>
  );
}

function Auth({ auth }: { auth: EndpointAuth }) {
  if (auth.type === "none") return "none";
  return (
    <>
      {auth.type === "bearer" ? "bearer" : <span className={classes.mono}>{auth.header}</span>}
      {auth.secret_set ? (
        <ToneBadge tone="green" help={`Credential ${auth.credential ?? ""}`}>
          {auth.shown ?? "set"}
        </ToneBadge>
      ) : (
        <ToneBadge tone="amber" help="Calls are not made until there is a secret for this address">
          no secret
        </ToneBadge>
      )}
    </>
  );
}
