package io.dht4j.security;

import io.dht4j.spi.TextFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The contents of a few small files, each read once. Possibly secret, and therefore omitted from {@link #toString}. */
final class Contents {

    /** Far above the size of certificates, keys and tokens. */
    static final int MAX_BYTES = 1 << 20;

    private final Map<Path, byte[]> bytes;
    private final byte[] digest;

    private Contents(Map<Path, byte[]> bytes) {
        this.bytes = bytes;
        MessageDigest sha256 = sha256();
        for (byte[] each : bytes.values()) {
            sha256.update(sha256().digest(each));
        }
        digest = sha256.digest();
    }

    /**
     * Reads all files, or throws one error that names the unreadable file.
     *
     * @param files the paths with what each file is for, for example {@code the file of tokens}
     */
    static Contents read(Map<Path, String> files) {
        Map<Path, byte[]> bytes = new LinkedHashMap<>();
        files.forEach((path, role) -> bytes.put(path, read(path, role + " " + path)));
        return new Contents(bytes);
    }

    private static byte[] read(Path path, String file) {
        if (Files.isDirectory(path)) {
            throw new IllegalArgumentException(file + " is a directory, not a file");
        }
        byte[] read;
        try (InputStream in = Files.newInputStream(path)) {
            read = TextFiles.withoutMark(in.readNBytes(MAX_BYTES + 1));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(file + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IllegalArgumentException(file + " may not be read by this process", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
        }
        if (read.length > MAX_BYTES) {
            throw new IllegalArgumentException(file + " is larger than " + MAX_BYTES + " bytes");
        }
        if (read.length == 0) {
            throw new IllegalArgumentException(file + " is empty");
        }
        return read;
    }

    byte[] of(Path file) {
        byte[] found = bytes.get(file);
        if (found == null) {
            throw new IllegalStateException(file + " was not read");
        }
        return found;
    }

    /** Returns a digest that is equal for equal contents only. */
    byte[] digest() {
        return digest;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
