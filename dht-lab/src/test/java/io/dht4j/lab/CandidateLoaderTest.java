package io.dht4j.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CandidateLoaderTest {

    private static final String IMPORTS = """
            import io.dht4j.*;
            import io.dht4j.lab.*;
            import io.dht4j.spi.*;
            """;
    private static final String BODY = """
                public String name() { return "mine"; }
                public Transport at(String address) { throw new IllegalStateException("no wire to " + address); }
            }
            """;

    @TempDir
    Path directory;

    private JarOfSources jar;

    @BeforeEach
    void begin() {
        jar = new JarOfSources(directory);
    }

    private static String candidate(String head) {
        return IMPORTS + head + " implements TransportCandidate {\n" + BODY;
    }

    private static void load(Path jar, String className) {
        try (CandidateLoader loader = CandidateLoader.of(List.of(jar))) {
            loader.transport(className);
        }
    }

    @Test
    void aConstructorThatDoesNotReturnIsNamed() throws Exception {
        Path packed = jar.with(
                        "a.Slow",
                        IMPORTS + "public class Slow implements TransportCandidate {\n"
                                + "    public Slow() throws Exception { Thread.sleep(600_000); }\n" + BODY)
                .pack();
        try (CandidateLoader loader = CandidateLoader.of(List.of(packed), Duration.ofMillis(50))) {
            assertThatThrownBy(() -> loader.transport("a.Slow"))
                    .isInstanceOf(CandidateException.class)
                    .hasMessage("the constructor of class a.Slow did not return within 0.05 s");
        }
    }

    @Test
    void loadsAPublicClassByItsName() throws Exception {
        Path packed = jar.with("a.Mine", candidate("public class Mine")).pack();
        try (CandidateLoader loader = CandidateLoader.of(List.of(packed))) {
            assertThat(loader.transport("a.Mine").name()).isEqualTo("mine");
        }
    }

    @Test
    void loadsEachKindOfCandidate() throws Exception {
        Path packed = jar.with("a.S", IMPORTS + """
                        public class S implements StoreCandidate {
                            public String name() { return "s"; }
                            public Store open(java.nio.file.Path d, MemoryBudget m) { return null; }
                        }
                        """)
                .with("a.P", IMPORTS + """
                        public class P implements Placement {
                            public String name() { return "p"; }
                            public PartitionTable assign(Topology t, int n) {
                                throw new UnsupportedOperationException();
                            }
                        }
                        """)
                .with("a.H", IMPORTS + """
                        public class H implements HashFunction {
                            public String name() { return "h"; }
                            public long hash(byte[] bytes) { return bytes[1]; }
                        }
                        """)
                .pack();
        try (CandidateLoader loader = CandidateLoader.of(List.of(packed))) {
            assertThatThrownBy(() -> loader.store("a.S").open(directory, io.dht4j.spi.MemoryBudget.ofHeap()))
                    .hasMessage("a.S.open(\"" + directory + "\", memory) returned null");
            assertThatThrownBy(() -> loader.placement("a.P")
                            .assign(io.dht4j.Topology.of(io.dht4j.Node.of("n1", "127.0.0.1:7001")), 8))
                    .hasMessage("a.P.assign(topology of 1 nodes, 8) threw java.lang.UnsupportedOperationException");
            assertThat(loader.hash("a.H").hash(new byte[] {1, 2})).isEqualTo(2);
            assertThatThrownBy(() -> loader.hash("a.H").hash(new byte[1]))
                    .hasMessageStartingWith("a.H.hash(1 bytes) threw java.lang.ArrayIndexOutOfBoundsException");
        }
    }

    @Test
    void findsClassesOfFurtherJars() throws Exception {
        Path packed = jar.with("a.Mine", candidate("public class Mine extends Base"))
                .with("a.Base", "class Base {}")
                .pack(UnaryOperator.identity(), "a/Base.class");
        Path rest = directory.resolve("rest.jar");
        Files.copy(
                new JarOfSources(Files.createDirectory(directory.resolve("2")))
                        .with("a.Base", "class Base {}")
                        .pack(),
                rest);
        try (CandidateLoader loader = CandidateLoader.of(List.of(packed, rest))) {
            assertThat(loader.transport("a.Mine").name()).isEqualTo("mine");
        }
        refuses(
                packed,
                "a.Mine",
                "class a.Mine needs class a.Base, which is not in " + packed + ": add the jar that has it");
    }

    @Test
    void refusesAFileThatIsMissingOrNoJar() throws IOException {
        Path missing = directory.resolve("absent.jar");
        refuses(missing, "a.B", "there is no file " + missing);
        refuses(directory, "a.B", directory + " is a directory; give a jar file");
        Path text = Files.writeString(directory.resolve("notes.txt"), "not a jar");
        assertThatThrownBy(() -> load(text, "a.B"))
                .isInstanceOf(CandidateException.class)
                .hasMessageStartingWith(text + " is no jar file: ");
    }

    @ParameterizedTest
    @CsvSource({
        "a.Mnie, ; did you mean a.Mine?",
        "b.Mine, ; did you mean a.Mine?",
        "a.mine, ; did you mean a.Mine?",
        "a.Inner, ; did you mean a.Mine$Inner?",
        "a.SomethingElse, ''"
    })
    void refusesAMissingClassAndNamesNearOnes(String className, String suggestion) throws Exception {
        Path packed = jar.with(
                        "a.Mine",
                        candidate("public class Mine")
                                .replace("Mine implements", "Mine implements")
                                .replaceFirst("\\{\n", "{ public static class Inner {}\n"))
                .pack();
        refuses(packed, className, "no class " + className + " in " + packed + suggestion);
    }

    @ParameterizedTest
    @CsvSource({
        "public abstract class Mine, class a.Mine is abstract; name a class of which the lab can create an instance",
        "class Mine, 'class a.Mine must be public, and the classes around it too'"
    })
    void refusesAClassThatCannotBeCreated(String head, String message) throws Exception {
        refuses(jar.with("a.Mine", candidate(head)).pack(), "a.Mine", message);
    }

    @Test
    void refusesAClassOfAnotherType() throws Exception {
        Path packed = jar.with("a.Mine", "public class Mine {}")
                .with("a.I", IMPORTS + "public interface I extends TransportCandidate {}")
                .pack();
        refuses(packed, "a.Mine", "class a.Mine must implement io.dht4j.lab.TransportCandidate");
        refuses(packed, "a.I", "class a.I is an interface; name a class of which the lab can create an instance");
    }

    @Test
    void refusesAClassWithoutAPublicNoArgConstructor() throws Exception {
        String constructor = "{\n private Mine() {} public Mine(int port) {}\n";
        Path packed = jar.with("a.Mine", candidate("public class Mine").replaceFirst("\\{\n", constructor))
                .with(
                        "a.Outer",
                        IMPORTS + "public class Outer { public "
                                + candidate("class Inner").substring(IMPORTS.length()) + "}")
                .pack();
        refuses(packed, "a.Mine", "class a.Mine has no public constructor without parameters");
        refuses(packed, "a.Outer$Inner", "class a.Outer$Inner is an inner class: declare it static");
    }

    @Test
    void namesWhatAConstructorThrew() throws Exception {
        String constructor = "{\n public Mine() { throw new IllegalStateException(\"no licence\\n\"); }\n";
        String initializer = "{\n static final int X = Integer.parseInt(\"x\");\n";
        Path packed = jar.with(
                        "a.Mine",
                        candidate("public class Mine").replaceFirst("\\{\n", constructor.replace("\\n", "\\\\\\\\n")))
                .with("a.Other", candidate("public class Other").replaceFirst("\\{\n", initializer))
                .pack();
        assertThatThrownBy(() -> load(packed, "a.Mine"))
                .isInstanceOf(CandidateException.class)
                .hasMessageStartingWith(
                        "the constructor of class a.Mine threw java.lang.IllegalStateException: no licence");
        assertThatThrownBy(() -> load(packed, "a.Other"))
                .isInstanceOf(CandidateException.class)
                .hasMessageStartingWith(
                        "the static initializer of class a.Other threw java.lang.NumberFormatException: ");
    }

    @Test
    void refusesAClassOfANewerJava() throws Exception {
        UnaryOperator<byte[]> newer = bytes -> {
            byte[] copy = bytes.clone();
            copy[7] = (byte) (44 + 99);
            return copy;
        };
        Path packed = jar.with("a.Mine", candidate("public class Mine")).pack(newer);
        int here = Runtime.version().feature();
        refuses(
                packed,
                "a.Mine",
                "class a.Mine is compiled for Java 99, and this is Java " + here + ": compile it with --release " + here
                        + ", or run a newer Java");
    }

    @Test
    void refusesADamagedClass() throws Exception {
        Path packed = jar.with("a.Mine", candidate("public class Mine")).pack(bytes -> new byte[100]);
        assertThatThrownBy(() -> load(packed, "a.Mine"))
                .isInstanceOf(CandidateException.class)
                .hasMessageStartingWith("class a.Mine cannot be linked: java.lang.ClassFormatError: ");
    }

    private static void refuses(Path jar, String className, String message) {
        assertThatThrownBy(() -> load(jar, className))
                .isInstanceOf(CandidateException.class)
                .hasMessage(message);
    }
}
