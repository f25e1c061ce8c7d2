package io.dht4j.security;

import io.dht4j.spi.TextFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A parser of token files. Errors contain the file and the number of the line, but not its text, which may contain a
 * misplaced token.
 */
final class TokenFile {

    private static final int MAX_LINES = 10_000;
    private static final String DIGEST = "sha256:";
    private static final Pattern TOKEN = Pattern.compile("[!-~]{16,512}");
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*");

    private TokenFile() {}

    /** The SHA-256 of a token, and its scopes. */
    static final class Entry {
        private final byte[] digest;
        private final Set<Scope> scopes;

        Entry(byte[] digest, Set<Scope> scopes) {
            this.digest = digest;
            this.scopes = scopes;
        }

        byte[] digest() {
            return digest;
        }

        Set<Scope> scopes() {
            return scopes;
        }
    }

    /** Parses at least one entry, or throws IllegalArgumentException. */
    static List<Entry> parse(Path file, byte[] content) {
        try {
            TextFiles.requireNoNul(content);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
        }
        List<Entry> entries = new ArrayList<>();
        Map<String, Integer> lineOf = new HashMap<>();
        String[] lines = new String(content, StandardCharsets.UTF_8).split("\\R", -1);
        if (lines.length > MAX_LINES + 1) {
            throw new IllegalArgumentException(file + " has more than " + MAX_LINES + " lines");
        }
        for (int i = 0; i < lines.length; i++) {
            String line = COMMENT.matcher(lines[i]).replaceFirst("").strip();
            if (line.isEmpty()) {
                continue;
            }
            Entry entry = entry(file + " line " + (i + 1), line);
            Integer same = lineOf.putIfAbsent(HexFormat.of().formatHex(entry.digest()), i + 1);
            if (same != null) {
                throw new IllegalArgumentException(file + " line " + (i + 1) + " repeats the token of line " + same
                        + ": give it all its scopes there");
            }
            entries.add(entry);
        }
        if (entries.isEmpty()) {
            throw new IllegalArgumentException(file + " holds no token");
        }
        return List.copyOf(entries);
    }

    private static Entry entry(String where, String line) {
        String[] words = line.split("\\s+", -1);
        if (words.length != 2) {
            throw new IllegalArgumentException(
                    where + " must have two words, scopes with commas between and a token, not " + words.length);
        }
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (String scope : words[0].split(",", -1)) {
            switch (scope) {
                case "read" -> scopes.add(Scope.READ);
                case "write" -> scopes.add(Scope.WRITE);
                case "admin" -> scopes.add(Scope.ADMIN);
                default ->
                    throw new IllegalArgumentException(where
                            + " must begin with scopes out of read, write and admin, with commas and no "
                            + "spaces between");
            }
        }
        return new Entry(digest(where, words[1]), scopes);
    }

    private static byte[] digest(String where, String token) {
        if (token.startsWith(DIGEST)) {
            String hex = token.substring(DIGEST.length());
            if (!HEX.matcher(hex).matches()) {
                throw new IllegalArgumentException(where + " must have 64 hexadecimal digits after " + DIGEST);
            }
            return HexFormat.of().parseHex(hex);
        }
        if (!TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException(where
                    + " must have a token of 16 to 512 characters of printable ASCII, this one has " + token.length());
        }
        return Contents.sha256().digest(token.getBytes(StandardCharsets.US_ASCII));
    }
}
