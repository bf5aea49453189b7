import { IconHome, IconPlayerPlay, IconRobot, IconUser, IconWorld } from "@tabler/icons-react";

/** The main places, and the key that goes there after `g`. */
export const PLACES = [
  { to: "/", label: "Home", key: "h", icon: IconHome },
  { to: "/agents", label: "Agents", key: "a", icon: IconRobot },
  { to: "/runs", label: "Runs", key: "r", icon: IconPlayerPlay },
  { to: "/worlds", label: "Worlds", key: "w", icon: IconWorld },
  { to: "/account", label: "Account", key: "c", icon: IconUser },
] as const;

export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? ["⌘", "K"] : ["Ctrl", "K"];
