package io.dht4j.server.console;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** Takes a picture of the console of a running node, for the documents: {@code .ci/take-pictures} runs it. */
final class ConsolePicture {

    private static final int WIDTH = 1100;
    /** Down to the figures of the load. */
    private static final int HEIGHT = 1110;

    private ConsolePicture() {}

    /** Waits until an element shows a text, and writes the picture into a directory that the caller deletes. */
    public static void main(String[] args) throws Exception {
        String address = args[0];
        String selector = args[1];
        String text = args[2];
        Path file = Path.of(args[3]);
        Path profile = file.toAbsolutePath().getParent();
        try (BrowserPage page = BrowserPage.start(BrowserPage.find().orElseThrow(), profile)) {
            page.show(WIDTH, false);
            page.open(address);
            page.awaitText(selector, text);
            page.screenshot(file);
            BufferedImage whole = ImageIO.read(file.toFile());
            BufferedImage top = whole.getSubimage(0, 0, whole.getWidth(), Math.min(HEIGHT, whole.getHeight()));
            ImageIO.write(top, "png", file.toFile());
        }
    }
}
