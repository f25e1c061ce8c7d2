package io.dht4j.examples;

import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.Version;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A provider of locks for ShedLock, which lets one process of a cluster run each scheduled task. */
public final class ScheduledTaskLocks implements LockProvider {

    private final AtomicMap<String, String> locks;

    /** Creates the locks of a cluster. */
    public ScheduledTaskLocks(Cluster cluster) {
        this.locks = cluster.atomicMap("scheduled", Codec.text(), Codec.text());
    }

    private AtomicMap.Sync<String, String> lasting(Duration time) {
        return locks.with(CallOptions.defaults().withTimeToLive(time)).sync();
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration task) {
        AtomicMap.Put<String> put = lasting(task.getLockAtMostFor()).putIfAbsent(task.getName(), "locked");
        return put.isDone() ? Optional.of(new Held(task, put.version())) : Optional.empty();
    }

    private final class Held extends AbstractSimpleLock {

        private final Version version;

        Held(LockConfiguration task, Version version) {
            super(task);
            this.version = version;
        }

        @Override
        protected void doUnlock() {
            String task = lockConfiguration.getName();
            Duration rest = Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil());
            if (rest.toMillis() > 0) {
                lasting(rest).replace(task, version, "done");
            } else {
                locks.sync().remove(task, version);
            }
        }
    }
}
