package io.dht4j.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings out of files: the file of all settings, and the file of the hash key. */
class ConfigFileTest {

    @Test
    void theHashKeyMayComeFromAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "000102030405060708090a0b0c0d0e0f\n");

        PlacementChoice placement = ServerConfig.of(
                        Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, file.toString()))
                .placement();

        assertThat(placement.hashKey()).hasValue("000102030405060708090a0b0c0d0e0f");
        assertThat(placement.hashKeyFile()).hasValue(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "secret", "000102030405060708090a0b0c0d0e0f 00", "00010203\n0405060708090a0b0c0d0e0f"})
    void wrongHashKeyInAFileIsRefusedAndNotShown(String content, @TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("key"), content);

        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, file.toString())))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--hash-key-file: " + file + " must be 32 hexadecimal digits and nothing else");
    }

    @Test
    void aFileOfAHashKeyInUtf16IsRefused(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("key");
        Files.writeString(file, "000102030405060708090a0b0c0d0e0f\r\n", StandardCharsets.UTF_16LE);

        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, file.toString())))
                .hasMessage("--hash-key-file: cannot read " + file + ": its text is UTF-16: save it as UTF-8");
    }

    @Test
    void aFileOfAHashKeyThatIsMissingOrEndlessIsRefused(@TempDir Path directory) throws Exception {
        Path none = directory.resolve("none");
        Path large =
                Files.writeString(directory.resolve("large"), "000102030405060708090a0b0c0d0e0f" + " ".repeat(1_000));

        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, none.toString())))
                .hasMessage("--hash-key-file: there is no file " + none);
        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, large.toString())))
                .hasMessageContaining("32 hexadecimal digits");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.HASH_KEY_FILE, none.toString())))
                .hasMessage("--hash-key-file has no effect without --hash siphash");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(
                        Setting.HASH, "siphash", Setting.HASH_KEY, "00", Setting.HASH_KEY_FILE, none.toString())))
                .hasMessage("--hash-key-file has no effect with --hash-key");
    }

    @Test
    void aFileHasTheSameNames(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "# a comment\nid=n2\nreplication-factor = 1 \nmax-value-bytes=5\n");

        assertThat(ServerConfig.read(file))
                .isEqualTo(Map.of(Setting.ID, "n2", Setting.REPLICATION_FACTOR, "1", Setting.MAX_VALUE_BYTES, "5"));
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFile(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "\ufeffid=n2\r\n");
        assertThat(ServerConfig.read(file)).isEqualTo(Map.of(Setting.ID, "n2"));

        Files.writeString(file, "\ufeffid=n2", StandardCharsets.UTF_16LE);
        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: cannot read " + file + ": its text is UTF-16: save it as UTF-8");
        Files.write(file, new byte[] {'i', 'd', '=', (byte) 0xFC});
        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: cannot read " + file + ": its text is not UTF-8");
    }

    @Test
    void textThatIsNoPropertiesIsRefusedWithARemedy(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "id=n2", StandardCharsets.UTF_16LE);
        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: cannot read " + file + ": its text is UTF-16: save it as UTF-8");
        Files.writeString(file, "# \u044f\nid=n2", StandardCharsets.UTF_16LE);
        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: cannot read " + file
                        + ": it has NUL characters, as UTF-16 without a byte order mark: save it as UTF-8");
        Files.writeString(file, "data=C:\\users");
        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: cannot read " + file
                        + ": a backslash with u begins no \\uXXXX; write a backslash itself as \\\\");
    }

    @Test
    void aValueWithAControlCharacterIsRefused(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "data=C:\\temp\\n2");
        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: " + file + ": data has a control character: C:\\temp\\n2; write a"
                        + " backslash itself as \\\\");
    }

    @Test
    void aFileWithAnUnknownNameIsRefused(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "replicas=3\n");

        assertThatThrownBy(() -> ServerConfig.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--config")
                .hasMessageContaining("unknown name \"replicas\". The names are ")
                .hasMessageContaining("replication-factor");
    }

    @Test
    void aMisspeltNameGetsASuggestion(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "replication-facter=3\n");

        assertThatThrownBy(() -> ServerConfig.read(file))
                .hasMessage("--config: " + file
                        + ": unknown name \"replication-facter\". Did you mean replication-factor?");
    }

    @Test
    void twoLinesForOneNameAreRefused(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("twice.properties"), "id=n1\nlisten=127.0.0.1:7001\nid=n2\n");

        assertThatThrownBy(() -> ServerConfig.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--config: " + file + " has more than one line for id: keep one of them");
    }

    @Test
    void aFileThatIsNotThereIsNamed(@TempDir Path directory) {
        assertThatThrownBy(() -> ServerConfig.read(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--config: there is no file");
    }
}
