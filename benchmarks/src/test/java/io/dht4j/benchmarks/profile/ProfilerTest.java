package io.dht4j.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProfilerTest {

    private final List<String> commands = new ArrayList<>();

    /** A profiler on a system that refuses some counters. */
    private Profiler refusing(Set<String> engines) {
        return new Profiler(command -> {
            commands.add(command);
            if (engines.stream().anyMatch(engine -> command.startsWith("start,event=" + engine + ","))) {
                throw new IllegalStateException("No access to perf events");
            }
            return "";
        });
    }

    @Test
    void processorProfileHasKernelFramesWhereAllowed() throws Exception {
        assertThat(refusing(Set.of()).start(ProfileEvent.CPU)).isEqualTo(new Profiler.Started("cpu-clock", ""));
    }

    @Test
    void timersReplaceForbiddenPerfEventsWithANote() throws Exception {
        Profiler.Started first = refusing(Set.of("cpu-clock")).start(ProfileEvent.CPU);
        assertThat(first.engine()).isEqualTo("ctimer");
        assertThat(first.note()).contains("cpu", "ctimer", "No access to perf events");
        assertThat(refusing(Set.of("cpu-clock", "ctimer"))
                        .start(ProfileEvent.CPU)
                        .engine())
                .isEqualTo("itimer");
    }

    @Test
    void profileWithoutAnEngineFailsWithTheReason() throws Exception {
        Profiler profiler = refusing(Set.of("lock"));
        assertThatThrownBy(() -> profiler.start(ProfileEvent.LOCK))
                .isInstanceOf(ProfilerException.class)
                .hasMessage("no profile of lock here: lock: No access to perf events");
        assertThat(profiler.start(ProfileEvent.ALLOC).engine()).isEqualTo("alloc");
    }

    @Test
    void oneProfileAtATime() throws Exception {
        Profiler profiler = refusing(Set.of());
        assertThatThrownBy(() -> profiler.stop(Path.of("x"))).hasMessage("no profile is being taken");
        profiler.start(ProfileEvent.WALL);
        assertThatThrownBy(() -> profiler.start(ProfileEvent.CPU)).hasMessage("a profile of wall is being taken");
        profiler.stop(Path.of("/tmp/x"));
        assertThat(commands).last().isEqualTo("stop,file=/tmp/x,collapsed,total,ann");
        profiler.start(ProfileEvent.CPU);
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed() throws Exception {
        Profiler profiler = new Profiler(command -> {
            if (command.startsWith("stop")) {
                throw new IOException("No space left on device");
            }
            return "";
        });
        profiler.start(ProfileEvent.CPU);
        assertThatThrownBy(() -> profiler.stop(Path.of("/tmp/x")))
                .isInstanceOf(ProfilerException.class)
                .hasMessageContaining("/tmp/x")
                .hasMessageContaining("No space left");
    }

    @Test
    void eventsAreFoundByTheirNames() {
        assertThat(ProfileEvent.of("alloc")).isEqualTo(ProfileEvent.ALLOC);
        assertThatThrownBy(() -> ProfileEvent.of("gpu")).hasMessageContaining("[cpu, alloc, lock, wall]");
    }
}
