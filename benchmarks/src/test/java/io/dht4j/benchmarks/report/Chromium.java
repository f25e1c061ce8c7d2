package io.dht4j.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A headless browser that opens pages and reports their state. */
final class Chromium {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "chrome");
    private static final Pattern PROBE = Pattern.compile("<pre id=\"probe\">(.*?)</pre>", Pattern.DOTALL);
    private static final int TIMEOUT_SECONDS = 120;

    private final Path program;

    private Chromium(Path program) {
        this.program = program;
    }

    /** Returns the browser on the PATH. */
    static Optional<Chromium> find() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Chromium::new);
    }

    /**
     * Opens a page in a frame of some width.
     *
     * @return the findings of {@code probe.js}
     */
    JsonNode open(Path page, int width, boolean dark) throws IOException, InterruptedException {
        Path directory = page.getParent();
        String html = Files.readString(page);
        assertThat(html).contains("<head>\n", "\n</body>");
        // Runs before the page's own scripts, to catch their errors, and after them, to see their effect.
        Files.writeString(
                directory.resolve("probed.html"),
                html.replaceFirst(
                                "<head>\n",
                                Matcher.quoteReplacement("<head>\n<script>" + resource("problems.js") + "</script>\n"))
                        .replace("\n</body>", "\n<script>" + resource("probe.js") + "</script>\n</body>"));
        // Windows have a least width, frames have none.
        Path frame = directory.resolve("frame.html");
        Files.writeString(
                frame,
                "<!DOCTYPE html><meta charset=utf-8><body style='margin:0'><pre id=probe></pre><script>"
                        + "addEventListener('message', e => { document.getElementById('probe').textContent = "
                        + "btoa(String.fromCharCode(...new TextEncoder().encode(e.data))); });</script>"
                        + "<iframe src=probed.html style='border:0;height:6000px;width:" + width + "px'></iframe>");
        String dom = dump(frame, dark);
        Matcher probe = PROBE.matcher(dom);
        assertThat(probe.find()).as("a probe in %s", dom).isTrue();
        assertThat(probe.group(1).strip()).as("what the probe found").isNotEmpty();
        return new ObjectMapper()
                .readTree(java.util.Base64.getDecoder().decode(probe.group(1).strip()));
    }

    private String dump(Path page, boolean dark) throws IOException, InterruptedException {
        Path directory = page.getParent();
        Path out = directory.resolve("chromium.out");
        Path err = directory.resolve("chromium.err");
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--user-data-dir=" + directory.resolve("profile"),
                "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1),
                "--window-size=1300,1000",
                "--virtual-time-budget=10000",
                "--dump-dom",
                page.toUri().toString()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                    .as("Chromium ends; it said: %s", Files.readString(err))
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return Files.readString(out);
    }

    private static String resource(String name) throws IOException {
        try (var in = Chromium.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
