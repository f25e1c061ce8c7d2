package io.dht4j.spring.boot;

import io.dht4j.Cluster;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Closes the cluster with the context. The cluster depends on this bean, so it is closed after all beans that use it. A
 * context may be closed in an action of a stage, an observer or a listener, where {@link Cluster#close()} is refused;
 * the cluster then closes on a thread of its own.
 */
final class ClusterCloser implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterCloser.class);

    private volatile @Nullable Cluster cluster;

    /** Takes over a cluster. */
    Cluster closing(Cluster started) {
        cluster = started;
        return started;
    }

    @Override
    public void destroy() {
        Cluster started = cluster;
        if (started == null) {
            return;
        }
        try {
            started.close();
        } catch (IllegalStateException e) {
            LOG.info("the cluster closes on another thread: {}", e.getMessage());
            // Without a wait: the other thread waits for the action that has called this.
            Thread closer = new Thread(started::close, "dht4j-close");
            closer.setDaemon(false);
            closer.setUncaughtExceptionHandler(
                    (thread, failure) -> LOG.warn("the cluster does not close: {}", failure.getMessage(), failure));
            closer.start();
        }
    }
}
