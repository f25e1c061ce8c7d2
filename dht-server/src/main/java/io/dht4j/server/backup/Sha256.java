package io.dht4j.server.backup;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The hash of files and manifests. */
final class Sha256 {

    private Sha256() {}

    static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    static String of(byte[] bytes) {
        return text(begin().digest(bytes));
    }

    static String text(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }
}
