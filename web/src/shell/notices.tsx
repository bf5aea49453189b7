import { useNotifications } from "@mantine/notifications";
import { lazy, Suspense, useRef } from "react";

const Toasts = lazy(() => import("~/shell/toasts"));

/** Where `notifications.show` appears. Its code comes with the first one, and then it stays. */
export function Notices() {
  const wanted = useRef(false);
  const { notifications } = useNotifications();
  wanted.current ||= notifications.length > 0;
  return wanted.current ? (
    <Suspense fallback={null}>
      <Toasts />
    </Suspense>
  ) : null;
}
