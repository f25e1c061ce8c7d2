package io.dht4j.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds what the sources of the product log at WARN and ERROR. A message is its level and its text, in which {@code …}
 * stands for what is only known when it is logged.
 */
final class LoggedMessages {

    private static final Set<String> OTHER_MODULES =
            Set.of("benchmarks", "examples", "compat", "dht-lab", "dht-simulator", "dht-testkit");

    /** What logs: the logger itself, a consumer of warnings, and a log that is limited by its rate. */
    private static final Pattern STATEMENT =
            Pattern.compile("\\bLOG\\s*\\.(?:(warn|error)|atLevel\\(.*\\)\\s*\\.log)\\("
                    + "|\\bwarnings\\.accept\\((?!line\\))"
                    + "|\\.log\\(\\(\\) ->");

    private static final Pattern PASSED_LOGGER = Pattern.compile("\\bLOG::(?:warn|error)\\b");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern WRAPPER = Pattern.compile("(?s)PrintableText\\.of\\((.*)\\)");
    private static final Pattern VARIABLE = Pattern.compile("(?:\\{}|…)+");
    private static final Pattern WORD = Pattern.compile("[a-z]{2}");

    private LoggedMessages() {}

    /** Returns the messages, each with the classes that log it. */
    static Map<String, Set<String>> in(Path root) throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();
        for (Path file : sources(root)) {
            for (String message : inSource(Files.readString(file))) {
                found.computeIfAbsent(message, key -> new TreeSet<>()).add(className(file));
            }
        }
        return found;
    }

    /** Returns the messages of a source, in its order. */
    static List<String> inSource(String source) {
        List<String> found = new ArrayList<>();
        Matcher statement = STATEMENT.matcher(source);
        while (statement.find()) {
            String level = "error".equals(statement.group(1)) ? "ERROR" : "WARN";
            found.add(level + " " + text(firstArgument(source, statement.end())));
        }
        return found;
    }

    /** Returns the classes that pass a method of their logger to others. */
    static Set<String> passLoggers(Path root) throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : sources(root)) {
            if (PASSED_LOGGER.matcher(Files.readString(file)).find()) {
                found.add(className(file));
            }
        }
        return found;
    }

    /** Returns whether the text of a message is only known when it is logged. */
    static boolean isMadeElsewhere(String message) {
        return !WORD.matcher(message).find();
    }

    private static boolean isProduct(Path module) {
        return Files.isDirectory(module.resolve("src/main/java"))
                && !OTHER_MODULES.contains(module.getFileName().toString());
    }

    private static List<Path> sources(Path root) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.filter(LoggedMessages::isProduct).toList()) {
                try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static String className(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    /** Returns the literals of a concatenation, with the sign of a variable for anything else. */
    private static String text(String expression) {
        Matcher wrapper = WRAPPER.matcher(expression.strip());
        String inner = wrapper.matches() ? wrapper.group(1) : expression;
        StringBuilder text = new StringBuilder();
        for (String part : split(inner, '+')) {
            Matcher literal = LITERAL.matcher(part.strip());
            text.append(literal.matches() ? literal.group(1) : "…");
        }
        return VARIABLE.matcher(text).replaceAll("…");
    }

    private static String firstArgument(String source, int start) {
        return split(source.substring(start, Math.min(source.length(), start + 2_000)), ',')
                .get(0);
    }

    /** Splits at a separator that is in no string and no parentheses, up to the end of the parentheses around it. */
    private static List<String> split(String expression, char separator) {
        List<String> parts = new ArrayList<>();
        int begin = 0;
        int depth = 0;
        int at = 0;
        for (; at < expression.length() && depth >= 0; at++) {
            char c = expression.charAt(at);
            if (c == '"') {
                Matcher literal = LITERAL.matcher(expression).region(at, expression.length());
                at = literal.lookingAt() ? literal.end() - 1 : at;
            } else if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == separator && depth == 0) {
                parts.add(expression.substring(begin, at));
                begin = at + 1;
            }
        }
        parts.add(expression.substring(begin, depth < 0 ? at - 1 : at));
        return parts;
    }
}
