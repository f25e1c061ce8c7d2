package io.dht4j.server.cli.console;

import io.dht4j.PrintableText;
import io.dht4j.spi.FileFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Formats failures for the user. */
public final class Messages {

    private static final Set<Class<?>> WHOLE_NUMBERS = Set.of(int.class, Integer.class, long.class, Long.class);

    private Messages() {}

    /**
     * Returns the message of a failure. The file system's exceptions have only the path as their message; this adds the
     * error.
     *
     * @param e the failure
     * @return one line
     */
    public static String of(IOException e) {
        return PrintableText.of(inWords(e));
    }

    private static String inWords(IOException e) {
        if (e instanceof NoSuchFileException) {
            return missing(Path.of(String.valueOf(e.getMessage())));
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : FileFailure.inWords(e);
    }

    /**
     * Returns the first unknown word of a command line, or the unknown command that {@code help} was asked for.
     *
     * @param e how the command line is wrong
     * @return without a value after an equals sign, as it was given; empty if the command line is wrong in another way
     */
    public static String unknown(ParameterException e) {
        return e instanceof UnmatchedArgumentException unmatched
                        && !unmatched.getUnmatched().isEmpty()
                ? unmatched.getUnmatched().get(0).replaceFirst("=.*", "")
                : unknownToHelp(e);
    }

    /** picocli's {@code help} has no type of its own for an unknown command: it names the word, and no argument. */
    private static String unknownToHelp(ParameterException e) {
        boolean isFromHelp = e.getClass() == ParameterException.class && e.getArgSpec() == null;
        return isFromHelp && e.getValue() != null ? e.getValue() : "";
    }

    /**
     * Returns the error in the number of an option, without Java's names for kinds of numbers.
     *
     * @param e how the command line is wrong
     * @return names the option, and its range if that is known; empty if the command line is wrong in another way
     */
    public static Optional<String> badNumber(ParameterException e) {
        if (!(e.getCause() instanceof TypeConversionException wrong)
                || !(e.getArgSpec() instanceof OptionSpec option)) {
            return Optional.empty();
        }
        if (wrong instanceof OutOfRangeException) {
            return Optional.of(PrintableText.of(option.longestName() + " " + wrong.getMessage()));
        }
        return Stream.of(option.auxiliaryTypes()).anyMatch(WHOLE_NUMBERS::contains)
                ? Optional.of(PrintableText.of(
                        option.longestName() + " must be a whole number, not \"" + e.getValue() + "\""))
                : Optional.empty();
    }

    /**
     * Returns a number of entries in words.
     *
     * @param count 0 or more
     * @return for example {@code 1 entry} or {@code 2,000 entries}
     */
    public static String entries(long count) {
        return count(count, "entry", "entries");
    }

    /**
     * Returns a number of things in words.
     *
     * @param count 0 or more
     * @param one what one of them is called
     * @param many what several, or none, are called
     * @return for example {@code 1 byte} or {@code 2,000 bytes}
     */
    public static String count(long count, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : many);
    }

    /**
     * Returns the error of a command line in the words of this program.
     *
     * @param e how the command line is wrong
     * @return one line that names the option or the argument
     */
    public static String of(ParameterException e) {
        return PrintableText.of(inWords(e));
    }

    private static String inWords(ParameterException e) {
        String unknown = unknown(e);
        if (unknown.startsWith("-")) {
            return "there is no option " + unknown;
        }
        if (!unknown.isEmpty()) {
            return "unexpected argument \"" + unknown + "\"";
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return missing.getMissing().stream().map(Messages::missing).collect(Collectors.joining(", "));
        }
        if (e instanceof OverwrittenOptionException twice) {
            return ((OptionSpec) twice.getOverwritten()).longestName() + " is given twice";
        }
        return badNumber(e).or(() -> badChoice(e)).orElse(String.valueOf(e.getMessage()));
    }

    private static String missing(ArgSpec argument) {
        if (argument instanceof OptionSpec option) {
            return option.required()
                    ? option.longestName() + " " + option.paramLabel() + " is missing"
                    : option.longestName() + " needs a value: " + option.paramLabel();
        }
        return argument.paramLabel() + " is missing";
    }

    /** Returns the error in an option that takes one of several words, with the words as the user writes them. */
    private static Optional<String> badChoice(ParameterException e) {
        if (!(e.getCause() instanceof TypeConversionException) || !(e.getArgSpec() instanceof OptionSpec option)) {
            return Optional.empty();
        }
        return Stream.concat(Stream.of(option.type()), Stream.of(option.auxiliaryTypes()))
                .filter(Class::isEnum)
                .findFirst()
                .map(type -> option.longestName() + " must be "
                        + Stream.of(type.getEnumConstants())
                                .map(constant -> constant.toString()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', '-'))
                                .collect(Collectors.joining(" or "))
                        + ", not \"" + e.getValue() + "\"");
    }

    /**
     * Returns the available commands as the answer to an unknown one.
     *
     * @param unknown the word that is no command, or an option
     * @param command the parent of the available commands
     */
    public static String noCommand(String unknown, CommandLine command) {
        String what = unknown.startsWith("-") ? "command or option " : "command ";
        return PrintableText.of("there is no " + what + unknown) + "; there are: "
                + String.join(", ", command.getSubcommands().keySet());
    }

    /** Returns the missing path: for an output file, which may be absent, that is its directory. */
    private static String missing(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        return directory == null || Files.isDirectory(directory)
                ? "there is no file " + file
                : "there is no directory " + (file.getParent() == null ? directory : file.getParent());
    }
}
