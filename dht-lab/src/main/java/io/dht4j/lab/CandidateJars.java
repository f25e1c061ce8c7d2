package io.dht4j.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * The jars of candidates, and the names of the classes in them.
 *
 * @param paths the files
 * @param classNames with dots; without those of modules and packages
 */
record CandidateJars(List<Path> paths, List<String> classNames) {

    private static final String CLASS = ".class";
    private static final int MOST_SUGGESTIONS = 3;
    /** The number of letters for which one typing error is accepted; two in a short word, for swapped letters. */
    private static final int LETTERS_PER_ERROR = 3;

    static CandidateJars read(List<Path> jars) {
        List<String> names = new ArrayList<>();
        for (Path jar : jars) {
            if (!Files.exists(jar)) {
                throw new CandidateException("there is no file " + jar);
            } else if (Files.isDirectory(jar)) {
                throw new CandidateException(jar + " is a directory; give a jar file");
            }
            names.addAll(classesIn(jar));
        }
        return new CandidateJars(List.copyOf(jars), List.copyOf(names));
    }

    private static List<String> classesIn(Path jar) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(CLASS) && !name.startsWith("META-INF/"))
                    .map(name ->
                            name.substring(0, name.length() - CLASS.length()).replace('/', '.'))
                    .filter(name -> !name.endsWith("-info"))
                    .toList();
        } catch (ZipException e) {
            throw new CandidateException(jar + " is no jar file: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new CandidateException(jar + " cannot be read: " + Guard.quote(e), e);
        }
    }

    /** Returns the classes with similar names to a mistyped one, as the end of a sentence; empty if there is none. */
    String suggestions(String mistyped) {
        record Near(String name, int distance) {}
        String wanted = simple(mistyped);
        int most = Math.max(2, wanted.length() / LETTERS_PER_ERROR);
        List<String> near = classNames.stream()
                .map(name -> new Near(name, distance(simple(name), wanted, most + 1)))
                .filter(each -> each.distance() <= most)
                .sorted(Comparator.comparingInt(Near::distance).thenComparing(Near::name))
                .limit(MOST_SUGGESTIONS)
                .map(Near::name)
                .toList();
        return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
    }

    /** Returns the name without package and outer classes, in lower case. */
    private static String simple(String className) {
        return className
                .substring(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1)
                .toLowerCase(Locale.ROOT);
    }

    /** Returns the Levenshtein distance of two words, or the bound if the lengths alone differ by as much. */
    private static int distance(String a, String b, int bound) {
        if (Math.abs(a.length() - b.length()) >= bound) {
            return bound;
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }

    @Override
    public String toString() {
        return paths.isEmpty()
                ? "the class path"
                : paths.stream().map(Path::toString).collect(Collectors.joining(", "));
    }
}
