package io.dht4j.packaging.supervised;

import io.dht4j.packaging.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a service manager does by the unit of systemd: command, environment, restarts and their times.
 *
 * @param command of {@code ExecStart}
 * @param environment the variables that it sets itself
 * @param restartPause between an end and the next start
 * @param stopPatience after SIGTERM
 * @param noRestart exit codes that need a person
 */
record Unit(
        List<String> command,
        Map<String, String> environment,
        Duration restartPause,
        Duration stopPatience,
        Set<Integer> noRestart) {

    /** Reads that of an installation, which has to restart after failures. */
    static Unit of(Installation installation, Path stateDirectory) throws IOException {
        Map<String, String> settings = new HashMap<>();
        Map<String, String> environment = new HashMap<>();
        for (String line : Files.readAllLines(installation.resolve("lib/systemd/system/dht4j.service"))) {
            String[] words = line.split("=", 2);
            if (words.length < 2 || line.startsWith("#")) {
                continue;
            }
            if (words[0].equals("Environment")) {
                String[] variable = words[1].split("=", 2);
                environment.put(variable[0], variable[1].replace("%S", stateDirectory.toString()));
            } else {
                settings.put(words[0], words[1]);
            }
        }
        if (!settings.get("Restart").equals("on-failure")) {
            throw new IllegalStateException("Restart is " + settings.get("Restart"));
        }
        return new Unit(
                List.of(settings.get("ExecStart").split(" ")),
                environment,
                seconds(settings.get("RestartSec")),
                seconds(settings.get("TimeoutStopSec")),
                Arrays.stream((settings.get("RestartPreventExitStatus") + " 0 " + settings.get("SuccessExitStatus"))
                                .split(" "))
                        .map(Integer::valueOf)
                        .collect(Collectors.toSet()));
    }

    private static Duration seconds(String value) {
        return Duration.ofSeconds(Long.parseLong(value));
    }
}
