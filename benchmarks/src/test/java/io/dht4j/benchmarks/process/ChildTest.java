package io.dht4j.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.dht4j.benchmarks.process.ChildProgram.Answer;
import io.dht4j.benchmarks.process.ChildProgram.Code;
import io.dht4j.benchmarks.process.ChildProgram.Say;
import io.dht4j.benchmarks.process.ChildProgram.Sum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@Tag("full")
class ChildTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private static Child start(Class<?> program) throws IOException {
        return Child.start(ChildSpec.of("child", program, "-Xmx64m", "-XX:TieredStopAtLevel=1"));
    }

    @Test
    void carriesOutCommandsAndGivesTheirResults() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            child.ping(PATIENCE);
            assertThat(child.call("add", new Sum(2, 3), Answer.class, PATIENCE)).isEqualTo(new Answer(5));
            assertThat(child.call("add", Map.of("left", 20, "right", 30), Answer.class, PATIENCE))
                    .isEqualTo(new Answer(50));
        }
    }

    @Test
    void commandsOfManyThreadsGetTheirOwnAnswers() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            List<CompletableFuture<Integer>> sums = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> {
                        try {
                            return child.call("add", new Sum(i, i), Answer.class, PATIENCE)
                                    .sum();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }))
                    .toList();
            for (int i = 0; i < sums.size(); i++) {
                assertThat(sums.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(2 * i);
            }
        }
    }

    @Test
    void aCommandThatFailsSaysWhichAndWhy() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            assertThatThrownBy(() -> child.call("add", new Sum(Integer.MAX_VALUE, 1), PATIENCE))
                    .isInstanceOf(ChildException.class)
                    .isNotInstanceOf(ChildDiedException.class)
                    .hasMessage("child: add: integer overflow");
            assertThatThrownBy(() -> child.call("fly", Map.of(), PATIENCE))
                    .hasMessageStartingWith("child: fly: unknown command; the commands are [")
                    .hasMessageContaining("add");
            assertThatThrownBy(() -> child.call("add", Map.of("left", 1), PATIENCE))
                    .isInstanceOf(ChildException.class)
                    .hasMessageContaining("right");
            child.ping(PATIENCE);
        }
    }

    @Test
    void argumentsMayNotTakeTheNamesThatCommandsNeed() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            assertThatThrownBy(() -> child.call("add", Map.of("id", 1), PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("id");
        }
    }

    @Test
    void aMachineThatCannotStartSaysWhy() throws Exception {
        Path log = directory.resolve("child.log");
        try (Child child = Child.start(
                new ChildSpec("child", ChildProgram.class, List.of("-Xms1g", "-Xmx64m"), Optional.of(log)))) {
            assertThatThrownBy(() -> child.ping(PATIENCE))
                    .isInstanceOf(ChildDiedException.class)
                    .hasMessageContaining("heap size")
                    .hasMessageNotContaining("not written");
        }
        assertThat(log).content().contains("heap size");
    }

    @Test
    void deathFailsTheCommandWithTheLastLogLines() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            for (int i = 1; i <= 50; i++) {
                child.call("log", new Say("line " + i), PATIENCE);
            }
            ChildDiedException death = catchThrowableOfType(
                    ChildDiedException.class, () -> child.call("die", new Code(7), Duration.ofDays(1)));
            assertThat(death)
                    .hasMessageContaining("child has ended with exit code 7")
                    .hasMessageContaining("line 50");
            assertThat(death.exitCode()).isEqualTo(7);
            assertThat(death.lastLines()).hasSize(40).endsWith("line 49", "line 50");
            assertThatThrownBy(() -> child.ping(PATIENCE)).isInstanceOf(ChildDiedException.class);
        }
    }

    @Test
    void beingKilledIsADeathToo() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            child.ping(PATIENCE);
            CompletableFuture<Throwable> death = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(ChildDiedException.class, () -> child.call("hang", Map.of(), PATIENCE)));
            ProcessHandle.of(child.pid()).orElseThrow().destroyForcibly();
            assertThat(death.get(60, TimeUnit.SECONDS)).hasMessageContaining("(signal 9)");
        }
    }

    @Test
    void aMainClassThatCannotStartIsADeathWithTheReason() throws Exception {
        try (Child child = Child.start(ChildSpec.of("child", ChildProgram.class, "-XX:NoSuchFlag=1"))) {
            assertThatThrownBy(() -> child.ping(PATIENCE))
                    .isInstanceOf(ChildDiedException.class)
                    .hasMessageContaining("NoSuchFlag");
        }
    }

    @Test
    void timedOutCommandFailsAndIsInterrupted() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            child.ping(PATIENCE);
            assertThatThrownBy(() -> child.call("hang", Map.of(), Duration.ofMillis(50)))
                    .isInstanceOf(ChildException.class)
                    .isNotInstanceOf(ChildDiedException.class)
                    .hasMessageContaining("child has not answered to hang within 50 ms");
            assertThat(child.call("interrupted", Map.of(), Boolean.class, PATIENCE))
                    .isTrue();
        }
    }

    @Test
    void anInterruptedCallerCancelsItsCommand() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            child.ping(PATIENCE);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> child.call("hang", Map.of(), PATIENCE)).isInstanceOf(InterruptedException.class);
            assertThat(child.call("interrupted", Map.of(), Boolean.class, PATIENCE))
                    .isTrue();
        }
    }

    @Test
    void unresponsiveChildTimesOutAndIsKilledAtShutdown() throws Exception {
        Child child = start(StubbornProgram.class);
        assertThatThrownBy(() -> child.ping(Duration.ofMillis(50))).hasMessageContaining("has not answered to ping");
        child.kill();
        assertThat(child.onExit()).isCompletedWithValue(137);
    }

    @Test
    void unreadCommandsAreBounded() throws Exception {
        Child child = start(StubbornProgram.class);
        try {
            Say large = new Say("x".repeat(100_000));
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 200; i++) {
                            try {
                                child.call("log", large, Duration.ofNanos(1));
                            } catch (ChildException e) {
                                if (!e.getMessage().contains("has not answered")) {
                                    throw e;
                                }
                            }
                        }
                    })
                    .hasMessageContaining("does not read its commands");
        } finally {
            child.kill();
        }
    }

    @Test
    void closingEndsItInOrder() throws Exception {
        Path log = directory.resolve("child.log");
        Child child = Child.start(new ChildSpec("child", ChildProgram.class, List.of("-Xmx64m"), Optional.of(log)));
        child.call("log", new Say("hello"), PATIENCE);
        child.close();
        child.close();
        assertThat(child.onExit()).isCompletedWithValue(0);
        assertThat(Files.readString(log)).contains("hello", "closed in order");
    }

    @Test
    void standardOutputIsNoAnswer() throws Exception {
        try (Child child = start(ChildProgram.class)) {
            child.call("print", new Say("{\"id\":2,\"result\":1}"), PATIENCE);
            assertThat(child.call("add", new Sum(1, 1), Answer.class, PATIENCE)).isEqualTo(new Answer(2));
            await().until(() -> child.lastLines().contains("{\"id\":2,\"result\":1}"));
        }
    }

    @Test
    void nothingIsLeftWhenTheParentIsKilled() throws Exception {
        long grandchild;
        try (Child parent = start(ChildProgram.class)) {
            grandchild = parent.call("parent", Map.of(), long[].class, PATIENCE)[0];
            assertThat(isRunning(grandchild)).isTrue();
            parent.kill();
        }
        await().atMost(PATIENCE).until(() -> !isRunning(grandchild));
    }

    @Test
    void nothingIsLeftWhenTheParentEndsWithoutClosing() throws Exception {
        long grandchild;
        try (Child parent = start(ChildProgram.class)) {
            grandchild = parent.call("parent", Map.of(), long[].class, PATIENCE)[0];
        }
        await().atMost(PATIENCE).until(() -> !isRunning(grandchild));
    }

    /**
     * Returns whether a process runs. A zombie counts as ended: it stays in the table until its parent reads the exit
     * code, which an init may never do.
     */
    private static boolean isRunning(long pid) throws IOException {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        if (Files.isReadable(Path.of("/proc/self/stat"))) {
            try {
                String line = Files.readString(stat);
                return !line.substring(line.lastIndexOf(')') + 1).strip().startsWith("Z");
            } catch (IOException e) {
                return false;
            }
        }
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
