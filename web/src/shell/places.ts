import {
  IconChecklist,
  IconDeviceAudioTape,
  IconFlask,
  IconGavel,
  IconGrid4x4,
  IconHome,
  IconPlayerPlay,
  IconPlugConnected,
  IconRobot,
  IconSettings,
  IconStack2,
  IconTable,
  IconUser,
  IconWorld,
} from "@tabler/icons-react";

/** The main places, and the key that goes there after `g`. */
export const PLACES = [
  { to: "/", label: "Home", key: "h", icon: IconHome },
  { to: "/agents", label: "Agents", key: "a", icon: IconRobot },
  { to: "/endpoints", label: "Endpoints", key: "t", icon: IconPlugConnected },
  { to: "/runs", label: "Runs", key: "r", icon: IconPlayerPlay },
  { to: "/datasets", label: "Datasets", key: "d", icon: IconTable },
  { to: "/batches", label: "Batches", key: "b", icon: IconStack2 },
  { to: "/scenarios", label: "Scenarios", key: "l", icon: IconChecklist },
  { to: "/evals/runs", label: "Eval runs", key: "e", icon: IconFlask },
  { to: "/matrices", label: "Matrices", key: "m", icon: IconGrid4x4 },
  { to: "/review", label: "Review", key: "v", icon: IconGavel },
  { to: "/worlds", label: "Worlds", key: "w", icon: IconWorld },
  { to: "/cassettes", label: "Cassettes", key: "p", icon: IconDeviceAudioTape },
  { to: "/settings", label: "Settings", key: "s", icon: IconSettings },
  { to: "/account", label: "Account", key: "c", icon: IconUser },
] as const;

export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? ["⌘", "K"] : ["Ctrl", "K"];
