package io.dht4j.lab.internal.counters;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads numbers from Linux's {@code /proc}, or a directory of that form. On other systems all results are empty. */
final class ProcFiles {

    private static final int LONGEST = 8192;
    /** HotSpot's names of compilers' threads; Linux keeps their first 15 bytes. */
    private static final Pattern COMPILER = Pattern.compile("(C[12]|JVMCI) Compiler");

    private final Path proc;

    ProcFiles(Path proc) {
        this.proc = proc;
    }

    /** Returns the context switches of each live thread of this process, by its id. */
    Map<Long, Long> contextSwitches() {
        return ofThreads(thread -> {
            List<String> status = lines(thread.resolve("status"));
            OptionalLong voluntary = field(status, "voluntary_ctxt_switches:");
            OptionalLong others = field(status, "nonvoluntary_ctxt_switches:");
            return voluntary.isPresent() && others.isPresent()
                    ? OptionalLong.of(voluntary.getAsLong() + others.getAsLong())
                    : OptionalLong.empty();
        });
    }

    /** Returns the processor time of each live compiler thread of this process in nanoseconds, by its id. */
    Map<Long, Long> compilerNanos() {
        return ofThreads(thread -> {
            List<String> name = lines(thread.resolve("comm"));
            if (name.isEmpty() || !COMPILER.matcher(name.get(0)).lookingAt()) {
                return OptionalLong.empty();
            }
            List<String> spent = lines(thread.resolve("schedstat"));
            return spent.isEmpty() ? OptionalLong.empty() : number(spent.get(0).split(" ", 2)[0]);
        });
    }

    /** Returns a number from the files of each thread, by its id, without threads that have none. */
    private Map<Long, Long> ofThreads(Function<Path, OptionalLong> look) {
        Map<Long, Long> values = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(proc.resolve("self/task"))) {
            for (Path thread : threads) {
                look.apply(thread)
                        .ifPresent(value ->
                                values.put(Long.parseLong(thread.getFileName().toString()), value));
            }
        } catch (IOException | DirectoryIteratorException e) {
            // This system has no such directory.
            return Map.of();
        }
        return values;
    }

    /** Returns the write calls of this process. */
    OptionalLong writeCalls() {
        return field(lines(proc.resolve("self/io")), "syscw:");
    }

    /** Returns the TCP segments that the whole machine sent. */
    OptionalLong tcpSegmentsSent() {
        List<String> tcp = lines(proc.resolve("net/snmp")).stream()
                .filter(line -> line.startsWith("Tcp:"))
                .toList();
        if (tcp.size() != 2) {
            return OptionalLong.empty();
        }
        int column = Arrays.asList(tcp.get(0).split(" ", -1)).indexOf("OutSegs");
        String[] values = tcp.get(1).split(" ", -1);
        return column < 0 || column >= values.length ? OptionalLong.empty() : number(values[column]);
    }

    /** Returns the bytes that the whole machine sent over loopback. */
    OptionalLong loopbackBytesSent() {
        for (String line : lines(proc.resolve("net/dev"))) {
            if (line.strip().startsWith("lo:")) {
                String[] values = line.strip().substring("lo:".length()).strip().split(" +", -1);
                int sent = 8; // after eight columns of received counts
                return values.length <= sent ? OptionalLong.empty() : number(values[sent]);
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong field(List<String> lines, String name) {
        for (String line : lines) {
            if (line.startsWith(name)) {
                return number(line.substring(name.length()).strip());
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Returns the lines of a small file; none if reading fails, for example because its thread has ended. It avoids the
     * large buffers of the usual readers, since its own allocation counts too.
     */
    private static List<String> lines(Path file) {
        byte[] buffer = new byte[LONGEST];
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            int length = in.readNBytes(buffer, 0, buffer.length);
            return new String(buffer, 0, length, StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
