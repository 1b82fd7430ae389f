"""A small network of PyTorch's own parts, one convolution and one attention, for dry runs on the CPU."""

import torch


class Network(torch.nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, channels, 3, padding=1)
        self.attention = torch.nn.MultiheadAttention(channels, 4, batch_first=True)
        self.head = torch.nn.Linear(channels, 10)

    def forward(self, image):
        features = torch.relu(self.stem(image)).flatten(2).transpose(1, 2)
        mixed, _ = self.attention(features, features, features)
        return self.head(mixed.mean(1))


def build(device, batch=2, size=16):
    torch.manual_seed(7)
    model = Network().to(device).eval()
    image = torch.randn(batch, 3, size, size, device=device)

    def step():
        with torch.no_grad():
            return {"logits": model(image)}

    return step
