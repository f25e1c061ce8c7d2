package io.dht4j.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.Dht;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The files of the archive, and its launcher. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class ArchiveTest {

    private static final Pattern VARIABLE = Pattern.compile("(?m)^#?(DHT_[A-Z_]+)=");

    @TempDir
    private static Path directory;

    private static Installation installation;

    @BeforeAll
    static void unpack() throws Exception {
        installation = Installation.unpack(directory);
    }

    @Test
    void archiveHasLicenseNoticeAndLauncher() throws IOException {
        assertThat(installation.resolve("LICENSE")).content().contains("Apache License");
        assertThat(installation.resolve("NOTICE")).content().startsWith("dht4j");
        assertThat(installation.resolve("bin/dht")).isExecutable();
    }

    @Test
    void everyJarOfItsOwnHasLicenseAndNotice() throws IOException {
        List<Path> jars;
        try (Stream<Path> files = Files.list(installation.resolve("lib"))) {
            jars = files.filter(file -> file.getFileName().toString().startsWith("dht-"))
                    .toList();
        }
        assertThat(jars).hasSizeGreaterThan(5);
        for (Path file : jars) {
            try (JarFile jar = new JarFile(file.toFile())) {
                assertThat(jar.stream().map(JarEntry::getName))
                        .as(file.toString())
                        .contains("META-INF/LICENSE", "META-INF/NOTICE");
            }
        }
    }

    @Test
    void theLicenseOfEveryLibraryIsListed() throws IOException {
        List<String> names = Files.readAllLines(installation.resolve("LIBRARIES")).stream()
                .skip(2)
                .map(line -> line.replaceFirst(" .*", ""))
                .toList();
        for (String library : libraries()) {
            if (!library.startsWith("dht-")) {
                assertThat(names)
                        .as(library)
                        .anyMatch(name -> name.endsWith("*")
                                ? library.startsWith(name.substring(0, name.length() - 1))
                                : library.equals(name));
            }
        }
    }

    /** Returns the names of the jars without version and classifier. */
    private static Set<String> libraries() throws IOException {
        try (Stream<Path> files = Files.list(installation.resolve("lib"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar"))
                    .map(name -> name.replaceFirst("-[0-9].*", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void everyCommandHasAManualPageAndACompletion() throws IOException {
        String completion = Files.readString(installation.resolve("share/bash-completion/completions/dht"));
        String overview = page("dht");
        for (String command : Dht.commandLine().getSubcommands().keySet()) {
            assertThat(completion)
                    .containsPattern("(?m)^  local commands=\"[a-z -]*\\b" + command + "\\b")
                    .contains("\nfunction _picocli_dht_" + command.replace("-", "") + "()");
            if (!command.equals("help")) {
                String escaped = command.replace("-", "\\-");
                assertThat(overview).contains(".TP\n\\fBdht " + escaped + "\\fR\n");
                assertThat(page("dht-" + command))
                        .startsWith(".TH \"DHT\\-" + escaped.toUpperCase(Locale.ROOT) + "\" \"1\" \"2026\\-")
                        .contains(".SH \"NAME\"\ndht\\-" + escaped + " \\- ")
                        .contains(".SH \"OPTIONS\"\n")
                        .doesNotContain("@|", "${", "%n", "%%", "./dht");
            }
        }
    }

    @Test
    void commandsBelowACommandHaveManualPages() throws IOException {
        assertThat(page("dht-atomic")).contains(".TP\n\\fBdht atomic put\\fR\n", "\\fBdht\\-atomic\\-put\\fR(1)");
        assertThat(page("dht-atomic-put"))
                .startsWith(".TH \"DHT\\-ATOMIC\\-PUT\" \"1\" ")
                .contains(".SH \"NAME\"\ndht\\-atomic\\-put \\- ")
                .contains("\n\\fB\\-\\-if\\-absent\\fR", "\\fBdht\\-atomic\\fR(1)");
    }

    @Test
    void manualPageDescribesEveryServerOption() throws IOException {
        String page = page("dht-server");
        for (Setting setting : Setting.values()) {
            assertThat(page).containsOnlyOnce("\n\\fB" + setting.option().replace("-", "\\-") + "\\fR");
        }
        assertThat(page)
                .contains(".SS \"Between the nodes\"\n", "\n.nf\n", "Default: 127.0.0.1:8080.\n")
                .contains("when an answer is slower than a percentile of the recent ones, as in 95%. Default: off.\n");
    }

    private static String page(String name) throws IOException {
        return Files.readString(installation.resolve("share/man/man1/" + name + ".1"));
    }

    @Test
    void theExampleOfTheEnvironmentNamesVariablesThatExist() throws IOException {
        Matcher named = VARIABLE.matcher(Files.readString(installation.resolve("etc/dht4j/server.env.example")));
        Set<String> known = Stream.of(Setting.values()).map(Setting::variable).collect(Collectors.toSet());
        known.add("DHT_JAVA_OPTS");
        assertThat(named.results().map(result -> result.group(1))).isNotEmpty().isSubsetOf(known);
    }

    @Test
    void systemdUnitRunsTheServerAsItsOwnUser() throws IOException {
        assertThat(Files.readAllLines(installation.resolve("lib/systemd/system/dht4j.service")))
                .contains(
                        "ExecStart=dht server",
                        "User=dht4j",
                        "Restart=on-failure",
                        "EnvironmentFile=-/etc/dht4j/server.env",
                        "StateDirectory=dht4j");
        assertThat(installation.resolve("lib/sysusers.d/dht4j.conf")).content().startsWith("u dht4j ");
    }

    @Test
    void theLauncherRunsThroughALinkAndSaysHowItIsCalled() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("dht"), installation.resolve("bin/dht"));

        Installation.Run version = installation.dht(Map.of(), "--version");
        Installation.Run help = Installation.run(directory, Map.of("LC_ALL", "C"), List.of(link.toString(), "--help"));
        Installation.Run wrong = installation.dht(Map.of(), "status", "--qqq");

        assertThat(version.out()).matches("dht4j \\d\\S*, Java \\d.*\\R");
        assertThat(help.out()).contains("New here? Run dht demo.").doesNotContain("./dht", "bench", "simulate");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).endsWith("Try: dht status --help\n");
    }

    @Test
    void aJavaThatIsTooOldOrMissingIsNamed() throws Exception {
        Path home = Files.createDirectories(directory.resolve("old java/bin")).getParent();
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
        Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();

        List<String> command = List.of(
                "env", "JAVA_HOME=" + home, installation.resolve("bin/dht").toString(), "--version");
        Installation.Run old = Installation.run(directory, Map.of(), command);

        assertThat(old.exitCode()).isEqualTo(1);
        assertThat(old.err()).isEqualTo("dht: Java 17 or newer is needed; " + java + " is version 11.0.2\n");
    }
}
