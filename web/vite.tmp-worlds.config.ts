import base from "./vite.config";
export default { ...base, cacheDir: "/tmp/uiworlds/vite-cache" };
