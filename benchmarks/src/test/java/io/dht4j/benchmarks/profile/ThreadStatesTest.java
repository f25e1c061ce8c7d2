package io.dht4j.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ThreadStatesTest {

    @Test
    void stacksTellWhatThreadsDo() {
        ThreadStates states = ThreadStates.of(new CollapsedStacks(Map.of(
                "[loop-*];io/netty/channel/epoll/Native.epollWait_[j];epoll_wait",
                30L,
                "[loop-*];io/dht4j/core/internal/wire/FrameCodec.encode_[j]",
                10L,
                "[pool-*];java/util/concurrent/LinkedBlockingQueue.take_[j];"
                        + "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject.await_[j];"
                        + "java/util/concurrent/locks/LockSupport.park_[j];jdk/internal/misc/Unsafe.park_[0];"
                        + "__futex_abstimed_wait_common64",
                5L,
                "[pool-*];org/h2/mvstore/MVMap.get_[j];java/util/concurrent/locks/ReentrantLock.lock_[j];"
                        + "java/util/concurrent/locks/AbstractQueuedSynchronizer.acquire_[j];"
                        + "java/util/concurrent/locks/LockSupport.park_[j]",
                5L,
                "[pool-*];org/h2/mvstore/MVMap.put_[j];ObjectMonitor::enter(JavaThread*);__futex_abstimed_wait",
                5L,
                "[pool-*];io/dht4j/store/mvstore/WriteAheadLog.sync_[j];sun/nio/ch/FileChannelImpl.force_[j];"
                        + "sun/nio/ch/FileDispatcherImpl.force0_[j];fdatasync",
                5L,
                "[timer];java/lang/Thread.sleep_[j]",
                1L,
                "[GC Thread#*];WorkerThread::run();Monitor::wait(long);pthread_cond_wait",
                2L)));
        assertThat(states.rows())
                .containsExactly(
                        new ThreadStates.Row(
                                "loop-*", 40, Map.of(ThreadState.NETWORK, 0.75, ThreadState.RUNNING, 0.25)),
                        new ThreadStates.Row(
                                "pool-*",
                                20,
                                Map.of(ThreadState.WAITING, 0.25, ThreadState.BLOCKED, 0.5, ThreadState.FILE, 0.25)),
                        new ThreadStates.Row("GC Thread#*", 2, Map.of(ThreadState.WAITING, 1.0)),
                        new ThreadStates.Row("timer", 1, Map.of(ThreadState.SLEEPING, 1.0)));
    }
}
