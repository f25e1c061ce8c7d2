package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not what they should be: one clear error each, which shows nothing of a key. */
class TlsFilesTest {

    @TempDir
    Path directory;

    private TestCertificates certificates;
    private TestCertificates.Issued issued;
    private Path file;

    @BeforeEach
    void issue() {
        certificates = TestCertificates.in(directory);
        issued = certificates.issue("n1");
        file = directory.resolve("file.pem");
    }

    @Test
    void missingFilesAreNamed() {
        assertRefused(TlsFiles.trusting(file), "the file of authorities " + file + " does not exist");
        assertRefused(TlsFiles.server(file, issued.key()), "the certificate " + file + " does not exist");
        assertRefused(TlsFiles.server(issued.certificate(), file), "the private key " + file + " does not exist");
        assertRefused(TlsFiles.trusting(directory), "the file of authorities " + directory + " is a directory");
    }

    @Test
    void emptyAndHugeFilesAreNamed() throws IOException {
        Files.createFile(file);
        assertRefused(TlsFiles.trusting(file), "the file of authorities " + file + " is empty");
        Files.write(file, new byte[(1 << 20) + 1]);
        assertRefused(TlsFiles.trusting(file), "the file of authorities " + file + " is larger than 1048576 bytes");
    }

    @Test
    void filesOfAnotherKindAreNamed() throws IOException {
        assertRefused(TlsFiles.trusting(issued.key()), issued.key() + " holds no certificate");
        assertRefused(
                TlsFiles.server(issued.certificate(), issued.certificate()),
                issued.certificate() + " holds no private key");
        Files.write(file, new byte[] {0x30, (byte) 0x82, 1, 2});
        assertRefused(TlsFiles.trusting(file), file + " holds no certificate: a PEM file");
        Files.writeString(file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertRefused(TlsFiles.trusting(file), file + ": certificate 1 cannot be read");
        Files.writeString(file, "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n");
        assertRefused(TlsFiles.trusting(file), file + ": the block that ends in line 3 is not base64");
        Files.writeString(file, "-----BEGIN CERTIFICATE-----\nAA\n-----BEGIN CERTIFICATE-----\n");
        assertRefused(TlsFiles.trusting(file), file + " line 3: the block before it has no end");
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFile() throws IOException {
        String pem = "\ufeff" + Files.readString(issued.certificate());
        Files.writeString(file, pem);
        assertThatNoException()
                .isThrownBy(() -> Tls.load(TlsFiles.server(file, issued.key()), warning -> {})
                        .close());
        Files.writeString(file, pem, StandardCharsets.UTF_16BE);
        assertRefused(TlsFiles.trusting(file), file + " cannot be read: its text is UTF-16: save it as UTF-8");
        Files.writeString(file, pem.substring(1), StandardCharsets.UTF_16LE);
        assertRefused(TlsFiles.trusting(file), file + " cannot be read: its text is UTF-16: save it as UTF-8");
    }

    @Test
    void aKeyThatDoesNotBelongToTheCertificateIsRefused() {
        assertRefused(
                TlsFiles.server(issued.certificate(), certificates.issue("n1").key()),
                "is not the key of the certificate in " + issued.certificate());
        TestCertificates.Issued rsa = certificates.issueWithKey("RSA", "n1");
        assertRefused(
                TlsFiles.server(issued.certificate(), rsa.key()),
                rsa.key()
                        + " is not the key of the certificate: it is of the kind RSA, the certificate's of the "
                        + "kind EC");
        assertRefused(
                TlsFiles.server(
                        rsa.certificate(),
                        certificates.issueWithKey("Ed25519", "n1").key()),
                "it is of the kind EdDSA");
    }

    @Test
    void certificatesInTheWrongOrderAreRefused() throws IOException {
        TestCertificates.replace(file, certificates.authority(), issued.certificate());
        assertRefused(
                TlsFiles.server(file, issued.key()),
                file + ": certificate 2 is not the issuer of the one before it: the own certificate comes first");
    }

    @Test
    void textBetweenBlocksAndCertificatesBesideAKeyAreSkipped() throws IOException {
        Files.writeString(file, "Bag Attributes\r\n  friendlyName: n1\r\n");
        Path text = Files.copy(file, directory.resolve("text.txt"));
        TestCertificates.replace(file, text, issued.certificate(), text, certificates.authority(), issued.key());
        try (Tls tls = Tls.load(TlsFiles.server(file, file), line -> {})) {
            assertThat(tls.keyManager().chooseEngineServerAlias("EC", null, null))
                    .isNotNull();
        }
    }

    @Test
    void aKeyInAnOldFormComesWithTheCommandThatConvertsIt() throws Exception {
        String pkcs8 = Files.readString(issued.key());
        for (String kind : List.of("RSA", "EC")) {
            Files.writeString(file, pkcs8.replace(" PRIVATE KEY", " " + kind + " PRIVATE KEY"));
            assertRefused(
                    TlsFiles.server(issued.certificate(), file),
                    "convert it to PKCS #8: openssl pkey -in " + file + " -out NEW-FILE");
        }
        Files.writeString(file, pkcs8.replace(" PRIVATE KEY", " ENCRYPTED PRIVATE KEY"));
        assertRefused(
                TlsFiles.server(issued.certificate(), file),
                file + " is encrypted; decrypt it: openssl pkey -in " + file + " -out NEW-FILE");
        Files.writeString(
                file,
                "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n"
                        + "-----END EC PRIVATE KEY-----\n");
        assertRefused(TlsFiles.server(issued.certificate(), file), file + " is encrypted; decrypt and convert it");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 40, 80})
    void noErrorShowsAnythingOfADamagedKey(int at) throws Exception {
        String pem = Files.readString(issued.key());
        String body = pem.replaceAll("-----[^-]+-----|\\s", "");
        for (char bad : new char[] {'?', 'A', 'z'}) {
            char[] damaged = body.toCharArray();
            damaged[at] = bad;
            String text = new String(damaged);
            Files.writeString(file, "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n");
            if (isSameKey(text, body)) {
                continue;
            }
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> Tls.load(TlsFiles.server(issued.certificate(), file), line -> {}))
                    .satisfies(e -> {
                        assertThat(e.getCause()).isNull();
                        for (int i = 0; i + 8 <= text.length(); i++) {
                            assertThat(e.getMessage()).doesNotContain(text.substring(i, i + 8));
                        }
                    });
        }
    }

    /** Not every bit of a key's encoding matters. */
    private static boolean isSameKey(String one, String other) throws Exception {
        KeyFactory keys = KeyFactory.getInstance("EC");
        try {
            return keys.generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getDecoder().decode(one)))
                    .equals(keys.generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getDecoder().decode(other))));
        } catch (java.security.spec.InvalidKeySpecException | IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void withoutAnOwnCertificateThereIsNoKeyManager() {
        try (Tls tls = Tls.load(certificates.trusting(), line -> {})) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(tls::keyManager)
                    .withMessageContaining("no own certificate");
        }
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new TlsFiles(Optional.empty(), Optional.of(issued.key()), Optional.empty()))
                .withMessageContaining("only the key is given");
    }

    @Test
    void theManagersStayTheSameObjects() {
        try (Tls tls = Tls.load(issued.mutual(), line -> {})) {
            assertThat(tls.keyManager()).isSameAs(tls.keyManager());
            assertThat(tls.trustManager()).isSameAs(tls.trustManager());
            assertThat(tls.toString() + tls.keyManager() + tls.trustManager()).doesNotContain("BEGIN");
        }
    }

    private static void assertRefused(TlsFiles files, String why) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Tls.load(files, line -> {}))
                .withMessageContaining(why);
    }
}
