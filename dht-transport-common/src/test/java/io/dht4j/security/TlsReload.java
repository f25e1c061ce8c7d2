package io.dht4j.security;

import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node and a caller whose files a test replaces while they are in use. */
abstract class TlsReload {

    @TempDir
    Path directory;

    final List<Tls> open = new ArrayList<>();
    final List<String> warnings = new CopyOnWriteArrayList<>();
    TestCertificates certificates;
    TestCertificates.Issued issued;
    Tls server;
    Tls client;

    @BeforeEach
    void load() {
        certificates = TestCertificates.in(directory);
        issued = certificates.issue("n1", "localhost");
        server = load(issued.mutual());
        client = load(certificates.mutual("n2"));
    }

    Tls load(TlsFiles files) {
        return opened(Look.load(files, warnings::add));
    }

    Tls opened(Tls tls) {
        open.add(tls);
        return tls;
    }

    @AfterEach
    void close() {
        open.forEach(Tls::close);
    }

    void put(TestCertificates.Issued by) {
        put(issued, by);
    }

    static void put(TestCertificates.Issued files, TestCertificates.Issued by) {
        TestCertificates.replace(files.certificate(), by.certificate());
        TestCertificates.replace(files.key(), by.key());
    }

    static String serial(Tls tls) {
        String alias = tls.keyManager().chooseEngineServerAlias("EC", null, null);
        return tls.keyManager().getCertificateChain(alias)[0].getSerialNumber().toString();
    }

    X509Certificate meet() throws Exception {
        return meet(server);
    }

    X509Certificate meet(Tls with) throws Exception {
        return (X509Certificate) Handshake.of(with, false, client, client.trustManager(), "localhost", 443)
                .run();
    }
}
