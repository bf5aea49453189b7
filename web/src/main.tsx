import "@mantine/core/styles.css";
import "~/theme/fonts.css";
import "~/theme/tokens.css";
import "~/theme/global.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "~/app";

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
