package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.spi.StoreException;
import io.dht4j.spi.SystemFiles;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a store's directory: {@code LOCK} (empty), {@code FORMAT} (a marker and the format's version),
 * {@code PLACEMENT} (the settings that decide where keys live), {@code data.mv} (the map), {@code log-N.seg} (the log),
 * {@code note-NAME} (the node's metadata), {@code CLOSED} (the end of the log after a clean shutdown),
 * {@code UNTRUSTED} (why the map is not trusted) and {@code REFILL} (the partitions to get from the other replicas).
 */
public final class DirectoryFormat {

    static final int VERSION = 1;

    /** The file whose presence makes a directory a store's. */
    public static final String FORMAT_FILE = "FORMAT";

    /** The file of the partitions to refill. */
    public static final String REFILL_FILE = "REFILL";

    /** The names of the directories with the files of damaged stores begin with this. */
    public static final String DAMAGED_PREFIX = "damaged-";

    static final String LOCK_FILE = "LOCK";
    static final String PLACEMENT_FILE = "PLACEMENT";
    static final String DATA_FILE = "data.mv";
    static final String PROBE_FILE = "probe" + AtomicFile.DRAFT_SUFFIX;

    private static final String MARKER = "dht4j mvstore";
    private static final String FORMAT_DRAFT = FORMAT_FILE + AtomicFile.DRAFT_SUFFIX;
    private static final Pattern SEGMENT_FILE = Pattern.compile("log-(\\d{1,18})\\.seg");
    private static final int MAX_FORMAT_BYTES = 1024;

    private DirectoryFormat() {}

    static String segmentFile(long id) {
        return "log-" + id + ".seg";
    }

    /** Returns the number of a segment of the log; empty if the file is none. */
    static OptionalLong segmentOf(Path file) {
        Matcher matcher = SEGMENT_FILE.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    /**
     * Distinguishes the directory of a store from an empty one.
     *
     * @throws StoreException if it is neither, or the store has another format
     */
    static boolean isFormatted(Path directory) throws IOException {
        Path format = directory.resolve(FORMAT_FILE);
        if (!Files.exists(format)) {
            requireNoOther(directory, name -> true);
            return false;
        }
        if (!Files.isRegularFile(format) || Files.size(format) > MAX_FORMAT_BYTES) {
            throw notAFormat(format);
        }
        String text = new String(Files.readAllBytes(format), StandardCharsets.ISO_8859_1);
        Matcher matcher =
                Pattern.compile(Pattern.quote(MARKER) + " (\\d{1,9})\\s*").matcher(text);
        if (!matcher.matches()) {
            throw notAFormat(format);
        }
        int version = Integer.parseInt(matcher.group(1));
        if (version != VERSION) {
            throw new StoreException(format + ": the store has format version " + version
                    + ", this release reads version "
                    + VERSION + "; use the release that wrote it, or a newer one (or, if the file is damaged, "
                    + Health.REFILL + ")");
        }
        return true;
    }

    /**
     * Refuses a directory without a format that contains other files.
     *
     * @throws StoreException if it does
     */
    static void requireNoOther(Path directory, Predicate<String> isOther) throws IOException {
        List<String> others;
        try (Stream<Path> files = Files.list(directory)) {
            // A process that ends before it has written the format leaves a lock and a draft.
            others = files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name ->
                            !Set.of(LOCK_FILE, FORMAT_DRAFT, REFILL_FILE).contains(name))
                    .filter(name -> !isKeptByRebuild(name) && !SystemFiles.isOne(name))
                    .filter(isOther)
                    .sorted()
                    .limit(3)
                    .toList();
        }
        if (others.stream().anyMatch(DirectoryFormat::isStoreFile)) {
            throw Health.damaged(
                    directory.resolve(FORMAT_FILE),
                    "is missing, though the directory has " + String.join(", ", others));
        }
        if (!others.isEmpty()) {
            throw new StoreException(directory + " is not a store's directory: it has no " + FORMAT_FILE
                    + " file but holds " + others + "; use an empty directory");
        }
    }

    /** Returns whether a rebuild leaves a file where it is: hints for other nodes, and the files of damaged stores. */
    private static boolean isKeptByRebuild(String name) {
        return name.equals("hints") || name.startsWith(DAMAGED_PREFIX);
    }

    /**
     * Returns whether a file belongs to a store, and is of no use to a rebuilt one.
     *
     * @param name the file's name
     * @return true if so
     */
    public static boolean isStoreFile(String name) {
        String base = name.endsWith(AtomicFile.DRAFT_SUFFIX)
                ? name.substring(0, name.length() - AtomicFile.DRAFT_SUFFIX.length())
                : name;
        return Set.of(FORMAT_FILE, PLACEMENT_FILE, DATA_FILE, CleanShutdown.FILE, UntrustedMarker.FILE)
                        .contains(base)
                || SEGMENT_FILE.matcher(base).matches()
                || base.startsWith(MetadataFiles.PREFIX)
                || name.equals(PROBE_FILE);
    }

    private static StoreException notAFormat(Path format) {
        return new StoreException(
                format + " does not say '" + MARKER + "' and a version: this is not a store's directory,"
                        + " or the file is damaged; use an empty directory, or write '" + MARKER + " " + VERSION
                        + "' into it, or " + Health.REFILL);
    }

    static void write(Disk disk, Path directory) throws IOException {
        AtomicFile.write(
                disk, directory, FORMAT_FILE, StandardCharsets.ISO_8859_1.encode(MARKER + " " + VERSION + "\n"));
    }
}
