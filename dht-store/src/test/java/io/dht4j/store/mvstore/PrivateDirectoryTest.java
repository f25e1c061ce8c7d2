package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.store.hints.FileHintLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Nobody but the owner of a data directory reads what it holds. */
@DisabledOnOs(OS.WINDOWS)
class PrivateDirectoryTest {

    private static final Entry ENTRY = Entry.value(Key.of("k"), Version.of(1_700_000_000_000L, 0), new byte[100], 0);

    @TempDir
    private Path temporary;

    @Test
    void directoriesAndFilesAreForTheirOwnerAlone() throws Exception {
        Path data = temporary.resolve("dht-data/n1");
        writeAndRebuild(data);

        try (Stream<Path> all = Files.walk(temporary.resolve("dht-data"))) {
            List<Path> paths = all.toList();
            assertThat(paths).hasSizeGreaterThan(6);
            for (Path path : paths) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                        .as(path.toString())
                        .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
            }
        }
    }

    @Test
    void aDirectoryThatExistsKeepsItsPermissions() throws Exception {
        Path data = Files.createDirectory(temporary.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-x---"));

        writeAndRebuild(data);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwxr-x---");
    }

    private static void writeAndRebuild(Path data) {
        for (int i = 0; i < 2; i++) {
            try (MvStore store = MvStore.open(data, MvStoreOptions.defaults());
                    HintLog hints = FileHintLog.open(data.resolve("hints"), 1 << 20)) {
                store.apply(List.of(ENTRY));
                store.keepNote("note", new byte[1]);
                hints.add(new NodeId("n2"), List.of(ENTRY), System.currentTimeMillis());
            }
            if (i == 0) {
                Rebuild.begin(data);
            }
        }
    }
}
