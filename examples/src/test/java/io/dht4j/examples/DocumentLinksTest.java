package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that links between documents, and documents and tests that are named, exist. */
class DocumentLinksTest {

    private static final Set<String> LEFT_OUT = Set.of("target", "bench-results", "dht-data", "node_modules");
    private static final Pattern SOURCES = Pattern.compile(".*\\.(java|proto|xml|sh|yml)|dht");
    private static final Pattern NAMED = Pattern.compile("docs/[A-Za-z0-9/_-]+\\.md\\b");

    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z0-9]*Test)[`.#]");

    private static final Pattern FENCE = Pattern.compile("\\s*(```+|~~~+).*");
    private static final Pattern CODE_SPAN =
            Pattern.compile("(?<!`)(`+)(?!`)((?:(?!\\n[ \\t]*\\n).)*?)(?<!`)\\1(?!`)", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
    private static final Pattern DEFINITION = Pattern.compile("(?m)^ {0,3}\\[[^\\]\\n]+\\]:\\s+(\\S+)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*|//.*");

    private static final Pattern HEADING = Pattern.compile(" {0,3}#{1,6}\\s+(.*?)(?:\\s+#+)?\\s*");
    private static final Pattern LINK_IN_HEADING = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern HTML_ANCHOR = Pattern.compile("<[a-z]+ [^>]*(?:id|name)=\"([^\"]+)\"");

    private final Path root = Checkout.root();
    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void everyRelativeLinkLeadsToAFileAndToAHeadingInIt() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : files(DocumentLinksTest::isPage)) {
            String text = withoutCode(Files.readString(page));
            for (Pattern form : List.of(LINK, DEFINITION)) {
                Matcher link = form.matcher(text);
                while (link.find()) {
                    if (!ELSEWHERE.matcher(link.group(1)).matches() && !resolves(page, link.group(1))) {
                        broken.add(at(page, text, link.start(1)) + ": " + link.group(1));
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageStandsInTheIndex() throws IOException {
        Path documents = root.resolve("docs");
        String index = Files.readString(documents.resolve("README.md"));
        List<String> missing = new ArrayList<>();
        for (Path page : files(file -> file.startsWith(documents) && isPage(file))) {
            String name = documents.relativize(page).toString().replace('\\', '/');
            if (!name.equals("README.md") && !index.contains("](" + name + ")")) {
                missing.add(name);
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyTestThatAPageNamesIsThere() throws IOException {
        Set<String> tests = new HashSet<>();
        for (Path source : files(file -> file.toString().endsWith("Test.java"))) {
            tests.add(source.getFileName().toString().replace(".java", ""));
        }
        List<String> missing = new ArrayList<>();
        for (Path page : files(DocumentLinksTest::isPage)) {
            String text = Files.readString(page);
            Matcher named = TEST.matcher(text);
            while (named.find()) {
                if (!tests.contains(named.group(1))) {
                    missing.add(at(page, text, named.start(1)) + ": " + named.group(1));
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyDocumentThatASourceNamesIsThere() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path source : files(DocumentLinksTest::isSource)) {
            String text = Files.readString(source);
            Matcher named = NAMED.matcher(text);
            while (named.find()) {
                if (!Files.exists(root.resolve(named.group()))) {
                    missing.add(at(source, text, named.start()) + ": " + named.group());
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Set up TLS, set-up-tls",
        "`put` and `get`, put-and-get",
        "Recovery: torn tail or damage?, recovery-torn-tail-or-damage",
        "A disk that was set back, a-disk-that-was-set-back",
        "ack/from of [a policy](x.md), ackfrom-of-a-policy",
        "max_value - bytes, max_value---bytes"
    })
    void anchorsAreThoseThatAHeadingGets(String heading, String anchor) {
        assertThat(slug(heading)).isEqualTo(anchor);
    }

    private boolean resolves(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        if (!file.startsWith(root) || !Files.exists(file)) {
            return false;
        }
        return hash < 0 || anchorsOf(file).contains(target.substring(hash + 1));
    }

    private Set<String> anchorsOf(Path file) throws IOException {
        Set<String> known = anchors.get(file);
        if (known == null) {
            known = isPage(file) ? anchorsIn(Files.readString(file)) : Set.of();
            anchors.put(file, known);
        }
        return known;
    }

    private static Set<String> anchorsIn(String text) {
        Set<String> found = new HashSet<>();
        Map<String, Integer> times = new HashMap<>();
        for (String line : withoutFences(text).split("\n")) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String slug = slug(heading.group(1));
                int before = times.merge(slug, 1, Integer::sum) - 1;
                found.add(before == 0 ? slug : slug + "-" + before);
            }
            Matcher anchor = HTML_ANCHOR.matcher(line);
            while (anchor.find()) {
                found.add(anchor.group(1));
            }
        }
        return found;
    }

    /** Returns the anchor of a heading, as GitHub makes it. */
    private static String slug(String heading) {
        return LINK_IN_HEADING
                .matcher(heading)
                .replaceAll("$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    /** Empties the lines of fenced code; line numbers stay. */
    private static String withoutFences(String text) {
        StringBuilder kept = new StringBuilder();
        String fence = "";
        for (String line : text.split("\n", -1)) {
            Matcher mark = FENCE.matcher(line);
            if (!fence.isEmpty()) {
                if (line.strip().startsWith(fence)) {
                    fence = "";
                }
            } else if (mark.matches()) {
                fence = mark.group(1);
            } else {
                kept.append(line);
            }
            kept.append('\n');
        }
        return kept.toString();
    }

    private static String withoutCode(String text) {
        return CODE_SPAN
                .matcher(withoutFences(text))
                .replaceAll(span -> Matcher.quoteReplacement(span.group().replaceAll("[^\\n]", "x")));
    }

    private static boolean isPage(Path file) {
        return file.getFileName().toString().endsWith(".md");
    }

    private static boolean isSource(Path file) {
        return SOURCES.matcher(file.getFileName().toString()).matches();
    }

    private List<Path> files(Predicate<Path> wanted) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                return !directory.equals(root) && (name.startsWith(".") || LEFT_OUT.contains(name))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (wanted.test(file)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        found.sort(null);
        assertThat(found).isNotEmpty();
        return found;
    }

    private String at(Path file, String text, int offset) {
        long line = 1 + text.substring(0, offset).chars().filter(c -> c == '\n').count();
        return root.relativize(file) + ":" + line;
    }
}
