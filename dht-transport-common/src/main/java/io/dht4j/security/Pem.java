package io.dht4j.security;

import io.dht4j.PrintableText;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A strict parser of PEM files (RFC 7468): a block without an end or with invalid base64 is an error, so truncated
 * files are detected. Text between blocks is skipped. Errors name the file and never contain its content.
 */
final class Pem {

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";

    private Pem() {}

    /** A block between two marks. Has no {@code toString}, which could expose the bytes. */
    private static final class Block {
        private final String label;
        private final byte[] bytes;

        Block(String label, byte[] bytes) {
            this.label = label;
            this.bytes = bytes;
        }
    }

    /** Parses all certificates of a file, at least one. */
    static List<X509Certificate> certificates(Path file, byte[] content) {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(file, content)) {
            if (!block.label.equals("CERTIFICATE") && !block.label.equals("X509 CERTIFICATE")) {
                continue;
            }
            try {
                certificates.add((X509Certificate) CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(block.bytes)));
            } catch (CertificateException e) {
                throw new IllegalArgumentException(
                        file + ": certificate " + (certificates.size() + 1) + " cannot be read: " + e.getMessage(), e);
            }
        }
        if (certificates.isEmpty()) {
            throw new IllegalArgumentException(
                    file + " holds no certificate: a PEM file with \"" + BEGIN + "CERTIFICATE-----\" is needed");
        }
        return certificates;
    }

    /** Parses the private key of a file. Its algorithm must be that of the public key. */
    static PrivateKey privateKey(Path file, byte[] content, PublicKey publicKey) {
        for (Block block : blocks(file, content)) {
            switch (block.label) {
                case "PRIVATE KEY" -> {
                    return privateKey(file, new PKCS8EncodedKeySpec(block.bytes), publicKey.getAlgorithm());
                }
                case "ENCRYPTED PRIVATE KEY" ->
                    throw new IllegalArgumentException(file + " is encrypted; decrypt it: " + conversion(file));
                case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY" ->
                    throw new IllegalArgumentException(file + " is in the old form \"" + PrintableText.of(block.label)
                            + "\"; convert it to PKCS #8: " + conversion(file));
                default -> {
                    // The same file may contain certificates and curve parameters.
                }
            }
        }
        throw new IllegalArgumentException(
                file + " holds no private key: a PEM file with \"" + BEGIN + "PRIVATE KEY-----\" is needed");
    }

    private static PrivateKey privateKey(Path file, PKCS8EncodedKeySpec key, String wanted) {
        Optional<PrivateKey> found = privateKey(key, wanted);
        if (found.isPresent()) {
            return found.get();
        }
        for (String other : List.of("RSA", "EC", "EdDSA")) {
            if (privateKey(key, other).isPresent()) {
                throw new IllegalArgumentException(file + " is not the key of the certificate: it is of the kind "
                        + other + ", the certificate's of the kind " + wanted);
            }
        }
        throw new IllegalArgumentException(file + " cannot be read: RSA, EC and Ed25519 keys in PKCS #8 are known");
    }

    /** Parses a key, without the cause of a failure: the JDK's message may contain parts of the key. */
    private static Optional<PrivateKey> privateKey(PKCS8EncodedKeySpec key, String algorithm) {
        try {
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(key));
        } catch (NoSuchAlgorithmException | InvalidKeySpecException e) {
            return Optional.empty();
        }
    }

    private static List<Block> blocks(Path file, byte[] content) {
        List<Block> blocks = new ArrayList<>();
        String label = "";
        StringBuilder base64 = new StringBuilder();
        int number = 0;
        for (String each : new String(content, StandardCharsets.ISO_8859_1).split("\\R", -1)) {
            String line = each.strip();
            number++;
            if (line.startsWith(BEGIN) && line.endsWith(DASHES) && line.length() > BEGIN.length() + DASHES.length()) {
                if (!label.isEmpty()) {
                    throw new IllegalArgumentException(file + " line " + number + ": the block before it has no end");
                }
                label = line.substring(BEGIN.length(), line.length() - DASHES.length());
                base64.setLength(0);
            } else if (!label.isEmpty() && line.equals(END + label + DASHES)) {
                blocks.add(new Block(label, decode(file, number, label, base64.toString())));
                label = "";
            } else if (!label.isEmpty()) {
                base64.append(line);
            }
        }
        if (!label.isEmpty()) {
            throw new IllegalArgumentException(file + " is cut off: its last block has no end");
        }
        return blocks;
    }

    private static String conversion(Path file) {
        return "openssl pkey -in " + file + " -out NEW-FILE";
    }

    private static byte[] decode(Path file, int number, String label, String base64) {
        if (base64.contains("ENCRYPTED")) {
            // The traditional format marks encryption by headers within the block.
            throw new IllegalArgumentException(file + " is encrypted; decrypt and convert it: " + conversion(file));
        }
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            // Without the cause, whose message contains a character of a possible key.
            throw new IllegalArgumentException(
                    file + ": the block that ends in line " + number + " is not base64: " + PrintableText.of(label));
        }
    }
}
