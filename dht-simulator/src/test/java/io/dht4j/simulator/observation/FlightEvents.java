package io.dht4j.simulator.observation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Events that the Flight Recorder gets while a test does something. */
public final class FlightEvents {

    private FlightEvents() {}

    /**
     * Records events of one type.
     *
     * @param name the name of the type
     * @param action what happens meanwhile
     */
    public static List<RecordedEvent> during(String name, Runnable action) throws IOException {
        Path file = Files.createTempFile("events", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable(name);
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(name))
                    .toList();
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
