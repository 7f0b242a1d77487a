import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';

/** Shows what features say with `notifications.show`. */
const Toasts = () => <Notifications position="bottom-right" limit={4} />;

// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports only.
export default Toasts;
