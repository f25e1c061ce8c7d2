package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {

    private static final String READER = "reader-7hCqLw2Vn5";
    private static final String WRITER = "writer-K3bZ8xTt#1";
    private static final String EDITOR = "editor-Pq0Mf6Rd9y";
    private static final String ADMIN = "admin--Zk1xHs4Jc7u";

    @TempDir
    Path directory;

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<Tokens> open = new ArrayList<>();
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("tokens.txt");
    }

    @AfterEach
    void close() {
        open.forEach(Tokens::close);
    }

    @Test
    void aTokenAllowsItsScopesAndAnAdminEverything() throws Exception {
        Tokens tokens = load("# who may do what\n\nread " + READER + "\nwrite\t" + WRITER + "  # the importer\n"
                + "  read,write   sha256:" + sha256(EDITOR) + "\r\nadmin " + ADMIN);
        assertAllowed(tokens, READER, Scope.READ);
        assertAllowed(tokens, WRITER, Scope.WRITE);
        assertAllowed(tokens, EDITOR, Scope.READ, Scope.WRITE);
        assertAllowed(tokens, ADMIN, Scope.READ, Scope.WRITE, Scope.ADMIN);
    }

    @ParameterizedTest
    @EnumSource(Scope.class)
    void noTokenAndAnUnknownTokenAreUnauthenticated(Scope scope) throws Exception {
        Tokens tokens = load("admin " + ADMIN + "\nread sha256:" + sha256(READER));
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> tokens.require(Optional.empty(), scope))
                .withMessageContaining("none was sent")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        List<String> unknown = List.of(
                "",
                " ",
                ADMIN + " ",
                ADMIN.substring(1),
                ADMIN.toUpperCase(Locale.ROOT),
                ADMIN + "x",
                "sha256:" + sha256(READER),
                sha256(READER),
                "ä".repeat(20),
                "x".repeat(1 << 20));
        for (String token : unknown) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> tokens.require(Optional.of(token), scope))
                    .withMessage("a token of scope " + scope.name().toLowerCase(Locale.ROOT)
                            + " is needed, and this one is unknown")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        }
    }

    @Test
    void denialNamesTheNeededScope() throws Exception {
        Tokens tokens = load("read " + READER + "\nwrite " + WRITER + "\nwrite,read " + EDITOR);
        assertDenied(tokens, READER, Scope.WRITE, "a token of scope write is needed, and this one has read");
        assertDenied(tokens, READER, Scope.ADMIN, "a token of scope admin is needed, and this one has read");
        assertDenied(tokens, WRITER, Scope.READ, "a token of scope read is needed, and this one has write");
        assertDenied(tokens, EDITOR, Scope.ADMIN, "a token of scope admin is needed, and this one has read,write");
    }

    @Test
    void tokensOfTheShortestAndTheLongestFormAreAccepted() throws Exception {
        Tokens tokens = load("read " + "!".repeat(16) + "\nread " + "~".repeat(512));
        assertAllowed(tokens, "!".repeat(16), Scope.READ);
        assertAllowed(tokens, "~".repeat(512), Scope.READ);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "read",
                "SECRETSECRETSECRET read",
                "read, write SECRETSECRETSECRET",
                "read SECRETSECRETSECRET SECRETSECRETSECRET",
                "SECRETSECRETSECRET",
                "Read SECRETSECRETSECRET",
                "read,,write SECRETSECRETSECRET",
                "read SECRETSECRET",
                "read SECRETSECRETSECRETä",
                "read sha256:SECRETSECRETSECRET",
                "write #SECRETSECRETSECRET"
            })
    void aBadLineIsNamedAndNotShown(String line) throws Exception {
        Files.writeString(file, "# first\nread " + READER + "\n" + line + "\nadmin " + ADMIN + "\n");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Tokens.load(file, warnings::add))
                .withMessageStartingWith(file + " line 3 must")
                .withMessageNotContaining("SECRET")
                .withNoCause();
    }

    @Test
    void aTokenThatStandsTwiceIsRefused() throws Exception {
        Files.writeString(file, "read " + READER + "\n\nadmin sha256:" + sha256(READER));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Tokens.load(file, warnings::add))
                .withMessage(file + " line 3 repeats the token of line 1: give it all its scopes there");
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFile() throws Exception {
        assertAllowed(load("\ufeffread " + READER + "\r\n"), READER, Scope.READ);
        Files.writeString(file, "\ufeffread " + READER, StandardCharsets.UTF_16LE);
        assertUnreadable("cannot be read: its text is UTF-16: save it as UTF-8");
        Files.writeString(file, "\r\nread " + READER, StandardCharsets.UTF_16LE);
        assertUnreadable("cannot be read: its text is UTF-16: save it as UTF-8");
        Files.writeString(file, "# \u044f\nread " + READER, StandardCharsets.UTF_16BE);
        assertRefused("cannot be read: it has NUL characters, as UTF-16 without a byte order mark: save it as UTF-8");
    }

    @Test
    void filesThatAreMissingOrEmptyOrTooLargeAreRefused() throws Exception {
        assertUnreadable("does not exist");
        Files.createFile(file);
        assertUnreadable("is empty");
        Files.writeString(file, "# no token\n\n");
        assertRefused("holds no token");
        Files.writeString(file, "read " + READER + "\n".repeat(10_001));
        assertRefused("has more than 10000 lines");
        Files.writeString(file, "#".repeat((1 << 20) + 1));
        assertUnreadable("is larger than 1048576 bytes");
        Files.writeString(file, "#\n".repeat(9_999) + "read " + READER + "\n");
        assertAllowed(watchedByHand(), READER, Scope.READ);
    }

    @Test
    void tokensThatComeAndGoAreNoticed() throws Exception {
        Tokens tokens = load("read " + READER + "\n");
        Files.writeString(file, "write " + WRITER + "\n");
        tokens.look();
        assertAllowed(tokens, READER, Scope.READ);
        tokens.look();
        assertAllowed(tokens, WRITER, Scope.WRITE);
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> tokens.require(Optional.of(READER), Scope.READ));
        assertThat(warnings).containsExactly(file + ": read again");
    }

    @Test
    void unreadableFileLeavesTheTokensInUse() throws Exception {
        Tokens tokens = load("read " + READER + "\n");
        Files.writeString(file, "read " + READER + "\nwrite SECRETSECRET\n");
        look(tokens, 5);
        Files.delete(file);
        look(tokens, 5);
        Files.createFile(file);
        look(tokens, 5);
        assertAllowed(tokens, READER, Scope.READ);
        assertThat(warnings)
                .containsExactly(
                        file + " line 2 must have a token of 16 to 512 characters of printable ASCII, this one has 12;"
                                + " what was read before stays in use",
                        "the file of tokens " + file + " does not exist; what was read before stays in use",
                        "the file of tokens " + file + " is empty; what was read before stays in use");
        Files.writeString(file, "read " + READER + "\n");
        look(tokens, 5);
        assertThat(warnings).hasSize(4).last().isEqualTo(file + ": read again");
    }

    @Test
    void theFileIsWatchedWithoutBeingAsked() throws Exception {
        Files.writeString(file, "read " + READER + "\n");
        Tokens tokens = Tokens.load(file, warnings::add);
        open.add(tokens);
        Files.writeString(file, "read " + READER + "\nwrite " + WRITER + "\n");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertAllowed(tokens, WRITER, Scope.WRITE));
    }

    @Test
    void nothingShowsATokenOrItsDigest() throws Exception {
        Tokens tokens = load("read " + READER + "\n");
        assertThat(tokens.toString()
                        + TokenFile.parse(file, Files.readAllBytes(file))
                        + Contents.read(Map.of(file, "a file")))
                .doesNotContain(READER)
                .doesNotContain(sha256(READER).substring(0, 8));
    }

    private Tokens load(String text) throws IOException {
        Files.writeString(file, text);
        return watchedByHand();
    }

    private Tokens watchedByHand() {
        Tokens tokens = Tokens.load(file, warnings::add, Long.MAX_VALUE);
        open.add(tokens);
        return tokens;
    }

    private static void look(Tokens tokens, int times) {
        for (int i = 0; i < times; i++) {
            tokens.look();
        }
    }

    private void assertUnreadable(String why) {
        assertMessage("the file of tokens " + file + " " + why);
    }

    private void assertRefused(String why) {
        assertMessage(file + " " + why);
    }

    private void assertMessage(String message) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Tokens.load(file, warnings::add))
                .withMessage(message);
    }

    private static void assertAllowed(Tokens tokens, String token, Scope... scopes) {
        for (Scope scope : scopes) {
            assertThatNoException().isThrownBy(() -> tokens.require(Optional.of(token), scope));
        }
    }

    private static void assertDenied(Tokens tokens, String token, Scope scope, String message) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> tokens.require(Optional.of(token), scope))
                .withMessage(message)
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
    }

    private static String sha256(String token) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII)));
    }
}
