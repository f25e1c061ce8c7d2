package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisabledOnOs(OS.WINDOWS)
class PrivateFilesTest {

    @TempDir
    private Path directory;

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void whatIsMadeIsForItsOwnerAlone() throws Exception {
        Path inner = directory.resolve("a/b/c");
        PrivateFiles.createDirectories(inner);
        PrivateFiles.createDirectory(inner.resolve("d"));
        PrivateFiles.create(inner.resolve("file"));
        PrivateFiles.createIfMissing(inner.resolve("other"));

        assertThat(List.of(
                        permissions(directory.resolve("a")),
                        permissions(directory.resolve("a/b")),
                        permissions(inner),
                        permissions(inner.resolve("d"))))
                .containsOnly("rwx------");
        assertThat(List.of(permissions(inner.resolve("file")), permissions(inner.resolve("other"))))
                .containsOnly("rw-------");
    }

    @Test
    void whatExistsKeepsItsPermissionsAndContent() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "x");
        Path existing = Files.createDirectory(directory.resolve("existing"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
        Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString("rwxr-xr-x"));

        PrivateFiles.createIfMissing(file);
        PrivateFiles.createDirectories(existing);

        assertThat(permissions(file)).isEqualTo("rw-rw-r--");
        assertThat(file).hasContent("x");
        assertThat(permissions(existing)).isEqualTo("rwxr-xr-x");
        assertThatThrownBy(() -> PrivateFiles.create(file)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void aFileInPlaceOfADirectoryIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        for (Path wanted : List.of(file, file.resolve("inner"), file.resolve("inner/most"))) {
            assertThatThrownBy(() -> PrivateFiles.createDirectories(wanted))
                    .isInstanceOf(IOException.class)
                    .satisfies(e -> assertThat(FileFailure.inWords(e)).isEqualTo(file + " is not a directory"));
        }
    }

    @Test
    void aLinkToADirectoryIsOne() throws Exception {
        Path link =
                Files.createSymbolicLink(directory.resolve("link"), Files.createDirectory(directory.resolve("target")));

        PrivateFiles.createDirectories(link);
        PrivateFiles.createDirectories(link.resolve("inner"));

        assertThat(directory.resolve("target/inner")).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw----r--", "rw--w----", "rw-----w-", "rwxrwxrwx"})
    void aSecretThatIsOpenToOthersIsWarnedOfWithWhatToDo(String permissions) throws Exception {
        List<String> warnings = warnings(permissions);

        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0))
                .startsWith("the tokens in " + directory.resolve("secret") + " is open to other users (" + permissions
                        + ")")
                .contains("chmod 600 " + directory.resolve("secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "r--------", "rwx------", "rw---x---"})
    void aSecretOfItsOwnerIsNotWarnedOf(String permissions) throws Exception {
        assertThat(warnings(permissions)).isEmpty();
    }

    @Test
    void theGroupMayReadWhatRootOwns() throws Exception {
        Path file = Files.writeString(directory.resolve("mine"), "x");
        boolean isRoots = Files.getOwner(file).getName().equals("root");

        assertThat(warnings("rw-r-----")).hasSize(isRoots ? 0 : 1);
    }

    @Test
    void aMissingFileIsWarnedOfByWhoeverReadsIt() {
        List<String> warnings = new ArrayList<>();

        PrivateFiles.warnIfOpen("the tokens", directory.resolve("none"), warnings::add);

        assertThat(warnings).isEmpty();
    }

    private List<String> warnings(String permissions) throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), "x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        List<String> warnings = new ArrayList<>();
        PrivateFiles.warnIfOpen("the tokens", file, warnings::add);
        return warnings;
    }
}
