package io.dht4j.benchmarks.process;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The program of the children of {@link ChildTest}. */
final class ChildProgram {

    private ChildProgram() {}

    record Say(String text) {}

    record Code(int code) {}

    record Sum(int left, int right) {}

    record Answer(int sum) {}

    public static void main(String[] args) {
        CountDownLatch interrupted = new CountDownLatch(1);
        new ChildService()
                .on("add", Sum.class, sum -> new Answer(Math.addExact(sum.left(), sum.right())))
                .on("log", Say.class, say -> {
                    System.err.println(say.text());
                    return null;
                })
                .on("print", Say.class, say -> {
                    System.out.println(say.text());
                    return null;
                })
                .on("die", Code.class, code -> {
                    Runtime.getRuntime().halt(code.code());
                    return null;
                })
                .on("hang", Map.class, nothing -> {
                    try {
                        TimeUnit.DAYS.sleep(1);
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return null;
                })
                .on("interrupted", Map.class, nothing -> interrupted.await(30, TimeUnit.SECONDS))
                .on("parent", Map.class, nothing -> {
                    // Left open: the test kills its parent.
                    Child child = Child.start(ChildSpec.of("grandchild", ChildProgram.class, "-Xmx64m"));
                    child.ping(java.time.Duration.ofSeconds(60));
                    return List.of(child.pid());
                })
                .run(() -> System.err.println("closed in order"));
    }
}
